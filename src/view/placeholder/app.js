// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

const text = document.getElementById("text");
const token = new URLSearchParams(location.search).get("token");
const socket = new WebSocket(`ws://${location.host}/live?token=${token}`);
socket.binaryType = "arraybuffer";
let hello = {}, state = {};
socket.onmessage = (event) => {
  if (typeof event.data === "string") {
    const message = JSON.parse(event.data);
    if (message.type === "hello") hello = message;
    if (message.type === "state") state = message;
    return;
  }
  const data = new DataView(event.data);
  if (data.getUint8(0) !== 2) return;
  const frame = data.getUint32(4, true);
  text.textContent = `${hello.title}\nframe ${frame}, ${data.getFloat64(8, true).toFixed(3)} s\n${JSON.stringify(state)}`;
  socket.send(JSON.stringify({type: "ack", frame}));
};
socket.onclose = () => { text.textContent += "\nconnection lost"; };
