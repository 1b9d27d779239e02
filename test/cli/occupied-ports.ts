// Preloaded into a program (`node --import`): every port that the program listens on appears to be in use. Its error
// shows the port, and no port is opened.

import net, { type ListenOptions, Server } from "node:net";

const addressInUse = -98; // EADDRINUSE, as a handle reports it

Object.assign(net, { _createServerHandle: () => addressInUse });
Server.prototype.listen = function (this: Server, options: ListenOptions): Server {
  const { host: address, port } = options;
  const error = Object.assign(new Error("listen EADDRINUSE"), { code: "EADDRINUSE", address, port });
  process.nextTick(() => this.emit("error", error));
  return this;
} as Server["listen"]; // the gateway uses only this overload
