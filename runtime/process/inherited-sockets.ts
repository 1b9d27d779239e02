// Sockets that systemd opened and passed to the process, as sd_listen_fds(3) describes.

import { fstatSync } from "node:fs";
import type { Environment } from "./environment.ts";
import type { ListenAddress } from "./listen-address.ts";

/** The first passed descriptor; the others follow it. */
const first = 3;
/** The largest accepted number of sockets; services have fewer. */
const mostSockets = 1000;

const pattern = /^systemd(?::([\x21-\x39\x3b-\x7e]{1,255}))?$/;

/** Whether an address refers to a socket of systemd: `systemd` or `systemd:NAME`. */
export function isInherited(text: string): boolean {
  return pattern.test(text.trim());
}

/**
 * Returns the socket that `text` refers to: the first one, or the one with the given name (`FileDescriptorName=` of its
 * unit). If there is none, the environment records the reason; `variable`: the name of the setting, for the reason.
 */
export function inheritedAddress(variable: string, text: string, environment: Environment): ListenAddress {
  const refuse = (reason: string): ListenAddress => {
    environment.refuse(variable, `asks for a socket of systemd, and ${reason}`);
    return { port: 0 };
  };
  const count = Number(environment.text<string>("LISTEN_FDS", "0"));
  // A worker listens through its parent process, which has the sockets.
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
    return false; // the descriptor is not open
  }
}
