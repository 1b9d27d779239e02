// Loaded before a program (`node --import`): every port it wants is taken, so that what it wanted shows
// and nothing is opened.

import { type ListenOptions, Server } from "node:net";

Server.prototype.listen = function (this: Server, options: ListenOptions): Server {
  const { host: address, port } = options;
  const error = Object.assign(new Error("listen EADDRINUSE"), { code: "EADDRINUSE", address, port });
  process.nextTick(() => this.emit("error", error));
  return this;
} as Server["listen"]; // the gateway uses this one of its many forms
