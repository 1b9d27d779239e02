// Password hashes with bcrypt, such as `$2b$10$…`. They are computed on a separate thread: in JavaScript, one takes as
// long as hundreds of requests.

import { Worker } from "node:worker_threads";
import { bcryptSource } from "./bcrypt-source.ts";

const form = /^\$2[aby]?\$(\d\d)\$[./A-Za-z0-9]{53}$/;
const costs = { least: 4, most: 31 };

/** Returns a function that compares passwords with a bcrypt hash; `undefined` if `hash` is not a bcrypt hash. */
export function bcryptTest(hash: string): ((password: string) => Promise<boolean>) | undefined {
  const cost = Number(form.exec(hash)?.[1] ?? 0);
  if (cost < costs.least || cost > costs.most) return undefined;
  return (password) => compare(password, hash);
}

/** Compares on a new thread for each password. It starts in a few milliseconds and needs no cleanup. */
function compare(password: string, hash: string): Promise<boolean> {
  const worker = new Worker(threadText(), { eval: true, workerData: { password, hash } });
  return new Promise((resolve, reject) => {
    worker.once("message", (isRight: unknown) => resolve(isRight === true));
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("bcrypt returned no result")));
  });
}

function threadText(): string {
  return `const { parentPort, workerData } = require("node:worker_threads");
const bcrypt = { exports: {} };
(function (module, exports) {\n${bcryptSource()}\n})(bcrypt, bcrypt.exports);
parentPort.postMessage(bcrypt.exports.compareSync(workerData.password, workerData.hash));`;
}
