// Examines this machine independently of documents: Node, ports, clock and files. Each finding has a remedy.

import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { listenProblem, type WantedAddress } from "../../embed/connections/listen-addresses.ts";
import { oldestNode, runsGateways } from "../../ship/container-context.ts";
import { packageRoot } from "../package-root.ts";

/** The result of one check. */
export interface DoctorFinding {
  readonly check: string;
  readonly outcome: "fine" | "warning" | "error";
  /** What was found. */
  readonly found: string;
  /** The action that fixes the problem. */
  readonly remedy?: string;
}

/** The minimum number of open files that a gateway with many clients needs. */
const wantedFiles = 4096;

/**
 * Examines everything but the documents. `addresses`: the listen addresses. `checksPasswords`: whether the gateway
 * checks passwords.
 */
export async function examineMachine(
  addresses: readonly WantedAddress[],
  checksPasswords: boolean,
): Promise<readonly DoctorFinding[]> {
  return [
    examineNode(process.versions.node, checksPasswords),
    ...(await Promise.all(addresses.map(examinePort))),
    examineClock(new Date()),
    ...examineFileLimit(),
  ];
}

/** Whether gateways run on a version of Node; with `checksPasswords`, including those that check passwords. */
export function examineNode(version: string, checksPasswords: boolean): DoctorFinding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const about = { check: "Node", found: version };
  if (!runsGateways(version)) {
    const remedy = `gateways need Node ${oldestNode} or newer: install Node 24`;
    return { ...about, outcome: "error", remedy };
  }
  const knowsArgon = major > 24 || (major === 24 && minor >= 7);
  if (knowsArgon || !checksPasswords) return { ...about, outcome: "fine" };
  return {
    ...about,
    outcome: "warning",
    remedy:
      "passwords hashed by argon2 (basic authentication, portal, `compare_argon2`) need Node 24.7 or newer",
  };
}

/** Whether a gateway can listen at an address. */
export async function examinePort({ variable, address, setting }: WantedAddress): Promise<DoctorFinding> {
  const check = `port of ${setting ?? variable}`;
  const problem = await listenProblem(address);
  if (problem === undefined) return { check, outcome: "fine", found: `${address} is free` };
  const where = setting === undefined ? variable : `${variable}, or \`${setting}\` of gateway.yaml,`;
  const remedy = `set ${where} to another address, such as 127.0.0.1:8090, or end what listens there`;
  return { check, outcome: "error", found: problem, remedy };
}

/** Examines the clock, on which tokens, certificates and quotas depend. */
export function examineClock(now: Date): DoctorFinding {
  const found = now.toISOString();
  const installed = statSync(join(packageRoot(), "package.json")).mtime;
  // npm dates the files of packages to 1985, so this finds a clock before 1985, or before a clone was created.
  if (now < installed) {
    const remedy = "set the clock, and keep it right by NTP: it is before this installation";
    return { check: "clock", outcome: "error", found, remedy };
  }
  const { stdout } = spawnSync("timedatectl", ["show", "--property=NTPSynchronized", "--value"], {
    encoding: "utf8",
  });
  if (stdout?.trim() !== "no") return { check: "clock", outcome: "fine", found };
  const remedy = "nothing keeps it right: `timedatectl set-ntp true`";
  return { check: "clock", outcome: "warning", found, remedy };
}

/** Examines the limit of open files: each client and broker needs one. Without `/proc` the limit is unknown. */
function examineFileLimit(): readonly DoctorFinding[] {
  if (process.platform !== "linux") return [];
  const [, limit = ""] = /^Max open files\s+(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
  return [fileLimitFinding(limit)];
}

/** Judges a limit of open files, which is a number or `unlimited`. */
export function fileLimitFinding(limit: string): DoctorFinding {
  const about = { check: "open files", found: limit };
  if (limit === "unlimited" || Number(limit) >= wantedFiles) return { ...about, outcome: "fine" };
  const remedy = `raise it: \`ulimit -n 65536\`, or LimitNOFILE=65536 of a systemd unit`;
  return { ...about, outcome: "warning", remedy };
}
