// Decides who may call what from the document alone, and shares no code with the gateway. It assumes lenient servers:
// they decode paths until nothing is encoded, resolve dot segments, and ignore extra slashes, segment parameters and
// extensions. Some of them also ignore case.

import type { Api, Asked, Operation } from "./model.ts";

/** The credential of a request. */
export type Shown = "nothing" | "wrong key" | "key" | "limited key" | "user";

/** A request as the upstream received it, with the path below that of its API. */
export interface Received {
  readonly method: string;
  readonly path: string;
  /** The values of overriding headers. */
  readonly otherMethod?: string | undefined;
  readonly otherPath?: string | undefined;
}

/** Whether a credential satisfies the requirement. */
export function satisfies(shown: Shown, asks: Asked): boolean {
  if (asks === "nothing") return true;
  return asks === "key" ? shown === "key" || shown === "limited key" : shown === "user";
}

/** Returns the operations that a lenient server may take a request for. */
export function operationsOf(
  api: Api,
  { method, path, otherMethod, otherPath }: Received,
): readonly Operation[] {
  const wanted = new Set([method, otherMethod ?? method].map((each) => each.toUpperCase()));
  if (wanted.has("HEAD")) wanted.add("GET");
  const paths = [path, otherPath ?? path];
  const spelled = api.operations.find(
    (each) => each.method === method && !each.path.includes("{") && each.path === plain(path),
  );
  if (spelled !== undefined && paths[1] === path && wanted.size === 1) return [spelled];
  const found = [true, false].flatMap((isStrict) =>
    paths
      .flatMap((each) => readings(each, isStrict))
      .flatMap((reading) => {
        const fitting = api.operations.filter(
          (each) => wanted.has(each.method) && patternOf(each, isStrict).test(reading),
        );
        const [best] = fitting.map(rank).toSorted();
        return fitting.filter((each) => rank(each) === best);
      }),
  );
  return [...new Set(found)];
}

/** Returns the operations of a request for a path that the stream of its API accepted. */
export function operationsOfStream({ operations, stream = "" }: Api, path: string): readonly Operation[] {
  const posts = operations.filter(({ method }) => method === "POST");
  const own = plain(path);
  const spelled = posts.filter((each) => each.path === own);
  if (spelled.length > 0) return spelled;
  return posts.filter((each) => each.path === stream || patternOf(each).test(own));
}

/** Decodes a path once, as every server does. */
function plain(path: string): string {
  return path.split("/").map(decode).join("/");
}

/** Returns all paths that servers may read, without a trailing slash; unless `isStrict`, also case-folded. */
function readings(path: string, isStrict: boolean): readonly string[] {
  let whole = path;
  for (let before = ""; before !== whole; ) {
    before = whole;
    whole = decode(whole);
  }
  const kept = [path.split("/").map(decode), whole.split("/")].flatMap((segments) => {
    const bare = segments.map((segment) => segment.split(";")[0] ?? "");
    return [segments, bare];
  });
  return kept.flatMap((segments) => {
    const resolved = resolve(
      segments.map((segment) => (isStrict ? segment : segment.toLowerCase().normalize("NFKC").trim())),
    );
    const last = resolved.at(-1) ?? "";
    const short = last.includes(".") ? [[...resolved.slice(0, -1), last.slice(0, last.indexOf("."))]] : [];
    return [resolved, ...short].map((each) => `/${each.filter((segment) => segment !== "").join("/")}`);
  });
}

function resolve(segments: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (const segment of segments) {
    if (segment === "..") kept.pop();
    else if (segment !== "." && segment !== "") kept.push(segment);
  }
  return kept;
}

function decode(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
}

function patternOf({ path }: Operation, isStrict = false): RegExp {
  const text = (isStrict ? path : path.toLowerCase())
    .replace(/\/$/, "")
    .replaceAll(".", "\\.")
    .replaceAll("{id}", "[^/]+");
  return new RegExp(`^${text}$`);
}

/** Orders paths by how early their fixed segments are (OpenAPI, "Path Templating Matching"). */
function rank({ path }: Operation): string {
  return path
    .split("/")
    .map((segment) => (segment.startsWith("{") ? "1" : "0"))
    .join("");
}
