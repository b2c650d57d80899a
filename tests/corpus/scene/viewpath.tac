<tactus version="1" dt="0.01"><ViewPath times="0 1 2" eyes="0 1 3 0 1 3 2 2 2" targets="0 0 0 1 0 0 0 0 0" field_of_view="40"/></tactus>
