// What is true of this machine, whatever documents say: Node, ports, clock, files. Each finding has its remedy.

import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { listenProblem, type WantedAddress } from "../../embed/connections/listen-addresses.ts";
import { oldestNode, runsGateways } from "../../ship/container-context.ts";
import { packageRoot } from "../package-root.ts";

/** One thing that was looked at. */
export interface DoctorFinding {
  readonly check: string;
  readonly outcome: "fine" | "warning" | "error";
  /** What was found. */
  readonly found: string;
  /** What puts it right. */
  readonly remedy?: string;
}

/** Open files below which a gateway with many clients runs out of them. */
const wantedFiles = 4096;

/** Everything but the documents. `addresses` are those that a gateway would listen on; `checksPasswords` is whether it would. */
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

/** Whether gateways run on a version of Node, also those that check passwords where that is asked for. */
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

/** Whether a gateway could listen at an address. */
export async function examinePort({ variable, address, setting }: WantedAddress): Promise<DoctorFinding> {
  const check = `port of ${setting ?? variable}`;
  const problem = await listenProblem(address);
  if (problem === undefined) return { check, outcome: "fine", found: `${address} is free` };
  const where = setting === undefined ? variable : `${variable}, or \`${setting}\` of gateway.yaml,`;
  const remedy = `set ${where} to another address, such as 127.0.0.1:8090, or end what listens there`;
  return { check, outcome: "error", found: problem, remedy };
}

/** Tokens, certificates and quotas are judged by the clock. */
export function examineClock(now: Date): DoctorFinding {
  const found = now.toISOString();
  const installed = statSync(join(packageRoot(), "package.json")).mtime;
  // npm dates the files of packages to 1985; a clock before that, or before a clone was made, is wrong all the same.
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

/** Each client and broker is an open file. Nothing is known of it where there is no `/proc`. */
function examineFileLimit(): readonly DoctorFinding[] {
  if (process.platform !== "linux") return [];
  const [, limit = ""] = /^Max open files\s+(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
  return [fileLimitFinding(limit)];
}

/** What a limit of open files, a number or `unlimited`, is good for. */
export function fileLimitFinding(limit: string): DoctorFinding {
  const about = { check: "open files", found: limit };
  if (limit === "unlimited" || Number(limit) >= wantedFiles) return { ...about, outcome: "fine" };
  const remedy = `raise it: \`ulimit -n 65536\`, or LimitNOFILE=65536 of a systemd unit`;
  return { ...about, outcome: "warning", remedy };
}
