// What a gateway that follows deployments reads of its environment.

import type { KeyObject } from "node:crypto";
import { realpathSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { resolve } from "node:path";
import { type Environment, EnvironmentError } from "../../process/environment.ts";
import { folderSource } from "./artifact-folder.ts";
import { managementSource } from "./management-source.ts";
import { readVerifyKey } from "./signature.ts";
import type { ArtifactSource } from "./source.ts";

export interface FollowSettings {
  readonly source: ArtifactSource;
  readonly verifyKey: KeyObject | undefined;
  readonly cacheFolder: string | undefined;
  /** Things an operator should know that stop nothing. */
  readonly notes: readonly string[];
}

/** Reads `GW_*` variables; `from` is the address of a management service or a folder. Throws an `EnvironmentError`. */
export function readFollowSettings(from: string, environment: Environment): FollowSettings {
  const problems: string[] = [];
  const token = environment.text("GW_MANAGEMENT_TOKEN", "");
  const id = environment.text("GW_GATEWAY_ID", `${hostname()}-${process.pid}`);
  const pem = environment.text("GW_VERIFY_KEY", "");
  const cache = environment.text("GW_CACHE_DIR", "");
  const verifyKey = pem === "" ? undefined : readVerifyKey(pem);
  if (pem !== "" && verifyKey === undefined)
    problems.push("GW_VERIFY_KEY is not the public half of an Ed25519 key, in PEM");
  const url = /^https?:\/\//i.test(from) ? readUrl(from, problems) : undefined;
  const isFolder = url === undefined && problems.length === 0;
  if (isFolder && !isDirectory(from))
    problems.push(`${from} is neither a folder nor an address that begins with http`);
  if (isFolder && cache !== "" && placeOf(cache) === placeOf(from))
    problems.push("GW_CACHE_DIR is the folder that deployments are read from");
  if (problems.length > 0) throw new EnvironmentError(problems);
  return {
    source:
      url === undefined
        ? folderSource(from)
        : managementSource({ url, id, token: token === "" ? undefined : token }),
    verifyKey,
    cacheFolder: cache === "" ? undefined : cache,
    notes: [...notesOf(url, token, verifyKey), ...notesOfKey(verifyKey, cache)],
  };
}

function readUrl(text: string, problems: string[]): URL | undefined {
  const url = URL.parse(text);
  if (url === null) problems.push("the address of the management service cannot be read");
  // It stands in logs and lists of processes.
  else if (url.username !== "" || url.password !== "")
    problems.push(
      "the address of the management service holds a credential: it belongs in GW_MANAGEMENT_TOKEN",
    );
  else if (url.search !== "" || url.hash !== "")
    problems.push("the address of the management service holds more than a path");
  return url ?? undefined;
}

function notesOf(url: URL | undefined, token: string, key: KeyObject | undefined): readonly string[] {
  if (url === undefined || url.protocol === "https:" || isLocal(url.hostname)) return [];
  return [
    ...(token === "" ? [] : ["GW_MANAGEMENT_TOKEN goes over plain HTTP"]),
    ...(key === undefined ? ["code comes over plain HTTP, and GW_VERIFY_KEY is not set"] : []),
  ];
}

/** Which deployments were served before is kept beside the copy. */
function notesOfKey(key: KeyObject | undefined, cache: string): readonly string[] {
  const isForgotten = key !== undefined && cache === "";
  return isForgotten ? ["without GW_CACHE_DIR an older signed deployment is accepted after a restart"] : [];
}

function isLocal(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\./.test(host);
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The same for all names of a folder; one that is not there yet has one name. */
function placeOf(path: string): string {
  return isDirectory(path) ? realpathSync(path) : resolve(path);
}
