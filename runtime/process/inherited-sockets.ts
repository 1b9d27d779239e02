// Sockets that systemd opened and the process was started with, as sd_listen_fds(3) describes them.

import { fstatSync } from "node:fs";
import type { Environment } from "./environment.ts";
import type { ListenAddress } from "./listen-address.ts";

/** The first descriptor that is handed over; the others follow it. */
const first = 3;
/** More than a service has. */
const mostSockets = 1000;

const pattern = /^systemd(?::([\x21-\x39\x3b-\x7e]{1,255}))?$/;

/** Whether the text of an address asks for a socket of systemd: `systemd`, or `systemd:NAME`. */
export function isInherited(text: string): boolean {
  return pattern.test(text.trim());
}

/**
 * The socket that `text` asks for: the first one, or that with a name (`FileDescriptorName=` of its unit). Where there is none,
 * adds to `problems` why; `variable` is what asks for it.
 */
export function inheritedAddress(
  variable: string,
  text: string,
  environment: Environment,
  problems: string[],
): ListenAddress {
  const refuse = (reason: string): ListenAddress => {
    problems.push(`${variable} asks for a socket of systemd, and ${reason}`);
    return { port: 0 };
  };
  const count = Number(environment.text<string>("LISTEN_FDS", "0"));
  // A worker listens through its parent, which has the sockets.
  const owner = environment.text<string>("LISTEN_PID", "");
  const isOwn = owner === String(process.pid);
  if (!isOwn && owner !== String(process.ppid)) return refuse("none was handed to this process");
  if (!(Number.isInteger(count) && count >= 1 && count <= mostSockets))
    return refuse("LISTEN_FDS is not a number of sockets");
  const [, name] = pattern.exec(text.trim()) ?? [];
  const names = environment.text<string>("LISTEN_FDNAMES", "").split(":");
  const index = name === undefined ? 0 : names.slice(0, count).indexOf(name);
  if (index < 0) return refuse(`none is named ${name}`);
  const descriptor = first + index;
  return !isOwn || isSocket(descriptor)
    ? { port: 0, descriptor }
    : refuse(`descriptor ${descriptor} is not a socket`);
}

function isSocket(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isSocket();
  } catch {
    return false; // it is not open
  }
}
