// Reads the environment of a gateway that follows deployments, and reads deployments from a management service over
// HTTP.

import type { KeyObject } from "node:crypto";
import { realpathSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { resolve } from "node:path";
import { pause } from "../../concurrency/backoff.ts";
import { type Environment, EnvironmentError } from "../../process/environment.ts";
import { readAtMost } from "../../requests/bounded-answer.ts";
import { trimmedEnd } from "../../text/trim.ts";
import { readTailRequest, type TailRequest } from "../tail/sample.ts";
import { folderSource } from "./artifact-folder.ts";
import { ArtifactError, maximumManifestBytes } from "./manifest.ts";
import { hexDigest, readVerifyKey } from "./signature.ts";
import { type ArtifactSource, maximumBlobBytes } from "./source.ts";

/** How to reach a management service. */
interface ManagementOptions {
  /** The address of the service; its API is below `/api/`. */
  readonly url: URL;
  /** The key of this gateway, sent unchanged as the `Authorization` header. */
  readonly token: string | undefined;
  /** The id of this gateway at the service. */
  readonly id: string;
}

/** The longest time in seconds that the service may wait for a new deployment before it responds. */
const longestWait = 25;

/** Milliseconds that a response may take in addition to the wait. */
const answerTime = 15_000;

/** The shortest time between two requests, in milliseconds, even if the service does not wait. */
const shortestWait = 1_000;

/** Returns the source that reads deployments from a management service. */
export function managementSource({ url, token, id }: ManagementOptions): ArtifactSource {
  const base = trimmedEnd(url.href, "/");
  const ask = (path: string, signal: AbortSignal, options: AskOptions = {}) => {
    const headers = { ...options.headers, ...(token !== undefined && { authorization: token }) };
    return askFor(`${base}${path}`, signal, { ...options, headers });
  };
  return {
    name: base,
    async next(known, wait, signal) {
      const began = performance.now();
      const seconds = known === undefined ? 0 : Math.min(longestWait, Math.ceil(wait / 1000));
      const answer = await ask(`/api/deployments/current?wait=${seconds}`, signal, {
        time: seconds * 1000 + answerTime,
        headers: { accept: "application/json", ...(known && { "if-none-match": `"${known}"` }) },
      });
      if (answer.status === 200) {
        const bytes = await readBounded(answer, maximumManifestBytes);
        const digest = hexDigest(bytes);
        const tag = answer.headers.get("etag")?.replace(/^W\//, "");
        if (tag !== undefined && tag !== `"${digest}"`)
          throw new ArtifactError(
            "the manifest does not match its digest: it was truncated, or changed in transit",
          );
        const signature = answer.headers.get("x-gw-signature");
        if (digest !== known) return { bytes, digest, ...(signature === null ? {} : { signature }) };
      } else await expect(answer, [304]);
      await pause(Math.max(0, Math.min(wait, shortestWait) - (performance.now() - began)), signal);
      return undefined;
    },
    async blob(digest, signal) {
      const answer = await ask(`/api/artifacts/${digest}`, signal);
      if (answer.status !== 200) await expect(answer, []);
      return readBounded(answer, maximumBlobBytes);
    },
    async report(report, signal) {
      const answer = await ask(`/api/gateways/${encodeURIComponent(id)}/report`, signal, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(report),
      });
      return readWish(answer);
    },
    async showMessages(seen, signal) {
      const answer = await ask(`/api/gateways/${encodeURIComponent(id)}/messages`, signal, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ streams: seen }),
      });
      return readWish(answer);
    },
  };
}

/** The largest response to a report, in bytes. */
const mostWish = 256 * 1024;

/** Returns the streams to sample, from the response to a report; `undefined` if the service asks for none. */
async function readWish(answer: Response): Promise<TailRequest | undefined> {
  if (answer.status !== 200) {
    await expect(answer, [202, 204]);
    return undefined;
  }
  try {
    const { Tail }: { Tail?: unknown } = JSON.parse((await readBounded(answer, mostWish)).toString("utf8"));
    return readTailRequest(Tail);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

interface AskOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Milliseconds until the whole response must have arrived. */
  readonly time?: number;
}

/** Sends a request. Refuses redirects: they could send this gateway's key elsewhere, and get code from there. */
async function askFor(url: string, signal: AbortSignal, options: AskOptions): Promise<Response> {
  const { time = answerTime, ...request } = options;
  const limited = AbortSignal.any([signal, AbortSignal.timeout(time)]);
  const answer = await fetch(url, { ...request, redirect: "manual", signal: limited });
  const location = answer.headers.get("location");
  if (location === null || answer.status < 300 || answer.status > 399) return answer;
  await answer.body?.cancel();
  throw new ArtifactError(`it redirects to ${URL.parse(location, url)?.origin}, which is not followed`);
}

/** Throws unless the status is one of `expected`; cancels the body in both cases. */
async function expect(answer: Response, expected: readonly number[]): Promise<void> {
  await answer.body?.cancel();
  if (!expected.includes(answer.status)) throw new ArtifactError(`it answers ${answer.status}`);
}

function readBounded(answer: Response, most: number): Promise<Buffer> {
  return readAtMost(answer, most, () => new ArtifactError(`its answer has more than ${most} bytes`));
}

export interface FollowSettings {
  readonly source: ArtifactSource;
  readonly verifyKey: KeyObject | undefined;
  readonly cacheFolder: string | undefined;
  /** Hints for the operator that do not prevent the start. */
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
    problems.push("GW_VERIFY_KEY is not the public half of one Ed25519 key, in PEM");
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
  // The address appears in logs and process lists, so it must not contain a credential.
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

/** Returns a note if signatures are required but there is no folder to record which deployments were served before. */
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

/** Returns the same text for all paths of an existing folder; a path that does not exist yet is only resolved. */
function placeOf(path: string): string {
  return isDirectory(path) ? realpathSync(path) : resolve(path);
}
