// The manifest of a deployment: its modules, their imports, and digests that show which parts behave alike. It is
// read strictly, because it decides which code runs.

import { findRepeated } from "../../text/repeated.ts";
import { type AssignedHosts, assignedHost } from "./assigned-hosts.ts";

/** Thrown when a deployment cannot be applied; the message is for operators. */
export class ArtifactError extends Error {
  override readonly name = "ArtifactError";
}

/** A module, named by the hex SHA-256 of its bytes. */
export interface ModuleReference {
  readonly module: string;
  /** Runtime modules that it requires, such as `runtime/gateway.ts`, sorted and without duplicates. */
  readonly imports: readonly string[];
}

/** What a gateway is to run. */
export interface ArtifactManifest {
  readonly format: 1;
  /** The number of the deployment; counts up from 1. */
  readonly number: number;
  /** `sha256-` and the hex digest of the runtime that the modules were compiled against. */
  readonly runtime: string;
  /** The module of the process; a change of it needs a restart. */
  readonly gateway: ModuleReference;
  /** Host names that are assigned to organisations; absent if there are none. */
  readonly hosts?: AssignedHosts;
  readonly apis: readonly ApiArtifact[];
}

/** One API: its module, and the digests that show which of its parts behave alike in two deployments. */
export interface ApiArtifact extends ModuleReference {
  /** Unique in a manifest. */
  readonly id: string;
  readonly name?: string;
  /** The owner of the API: it cannot refer to names of other organisations, and their keys do not open it. */
  readonly organisation?: string;
  /** Begins and ends with `/`. */
  readonly listenPath: string;
  readonly streams: Readonly<Record<string, StreamDigests>>;
  /** Streams that an operator stopped; may name streams that no longer exist. */
  readonly stopped?: readonly string[];
  /** A number by stream that increases when an operator restarts the stream. */
  readonly restarts?: Readonly<Record<string, number>>;
}

/**
 * Hex digests of the parts of a stream. Equal digests mean equal behaviour, wherever in a file the part was written.
 */
export interface StreamDigests {
  readonly input: string;
  readonly pipeline: string;
  readonly output: string;
  readonly resources: string;
  /** The output's endpoints as clients see them: transport, path, verbs and format. */
  readonly shape: string;
}

/** The largest manifest that is read, in bytes; one API takes about two thousand. */
export const maximumManifestBytes = 64 * 1024 * 1024;

/**
 * Parses a manifest from JSON. Throws an `ArtifactError` that says where it is invalid: unknown, missing or duplicate
 * fields, invalid digests, another format.
 */
export function readManifest(bytes: Uint8Array): ArtifactManifest {
  if (bytes.length > maximumManifestBytes)
    throw new ArtifactError(`the manifest has more than ${maximumManifestBytes} bytes`);
  const fields = asRecord(parse(bytes), "manifest").fields;
  // Checked first: a later format may have other fields.
  const format = fields.get("format");
  if (format === undefined)
    throw new ArtifactError(
      "manifest.format is missing: this is not a deployment as `build --artifact` writes it",
    );
  if (format !== 1) throw new ArtifactError(`manifest.format is ${JSON.stringify(format)}, not 1`);
  only(fields, "manifest", ["format", "number", "runtime", "gateway", "hosts", "apis"]);
  const [apis, hosts] = [fields.get("apis"), fields.get("hosts")];
  if (!Array.isArray(apis)) throw new ArtifactError("manifest.apis is not a list");
  return {
    format: 1,
    number: asNumber(fields.get("number"), "manifest.number", 1),
    runtime: asText(fields.get("runtime"), "manifest.runtime", runtimeDigest),
    gateway: readGateway(fields.get("gateway")),
    ...(hosts === undefined ? {} : { hosts: readHosts(hosts) }),
    apis: readApis(apis),
  };
}

/** Returns the bytes of a manifest as they are stored, sent and signed. Equal manifests have equal bytes. */
export function printManifest(manifest: ArtifactManifest): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(manifest, undefined, 1)}\n`);
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (error) {
    throw new ArtifactError("the manifest is not JSON in UTF-8", { cause: error });
  }
}

function readGateway(value: unknown): ModuleReference {
  const { fields } = asRecord(value, "manifest.gateway");
  only(fields, "manifest.gateway", moduleFields);
  return readModule(fields, "manifest.gateway");
}

function readHosts(value: unknown): AssignedHosts {
  const hosts = asRecord(value, "manifest.hosts").map((names, at) => asTexts(names, at, assignedHost));
  const all = Object.values(hosts).flat();
  const twice = all[findRepeated(all)];
  if (twice !== undefined) throw new ArtifactError(`manifest.hosts has \`${twice}\` twice`);
  return hosts;
}

function readApis(values: readonly unknown[]): readonly ApiArtifact[] {
  const ids = new Set<string>();
  return values.map((value, index) => {
    const api = readApi(value, `manifest.apis[${index}]`);
    if (ids.has(api.id)) throw new ArtifactError(`the manifest has \`${api.id}\` twice`);
    ids.add(api.id);
    return api;
  });
}

const moduleFields = ["module", "imports"];
const apiFields = [
  ...[...moduleFields, "id", "name", "organisation"],
  ...["listenPath", "streams", "stopped", "restarts"],
];
const digestFields = ["input", "pipeline", "output", "resources", "shape"];

function readApi(value: unknown, place: string): ApiArtifact {
  const { fields } = asRecord(value, place);
  only(fields, place, apiFields);
  const [name, stopped, restarts] = ["name", "stopped", "restarts"].map((key) => fields.get(key));
  const organisation = fields.get("organisation");
  return {
    ...readModule(fields, place),
    id: asText(fields.get("id"), `${place}.id`, anyText),
    ...(name === undefined ? {} : { name: asText(name, `${place}.name`, /^/) }),
    ...(organisation === undefined
      ? {}
      : { organisation: asText(organisation, `${place}.organisation`, anyText) }),
    listenPath: asText(fields.get("listenPath"), `${place}.listenPath`, listenPath),
    streams: asRecord(fields.get("streams"), `${place}.streams`).map(readDigests),
    ...(stopped === undefined ? {} : { stopped: asTexts(stopped, `${place}.stopped`, anyText) }),
    ...(restarts === undefined
      ? {}
      : { restarts: asRecord(restarts, `${place}.restarts`).map((count, at) => asNumber(count, at, 0)) }),
  };
}

function readModule(fields: Fields, place: string): ModuleReference {
  return {
    module: asText(fields.get("module"), `${place}.module`, digest),
    imports: asTexts(fields.get("imports"), `${place}.imports`, runtimeModule),
  };
}

function readDigests(value: unknown, place: string): StreamDigests {
  const { fields } = asRecord(value, place);
  only(fields, place, digestFields);
  const read = (name: string) => asText(fields.get(name), `${place}.${name}`, digest);
  return {
    input: read("input"),
    pipeline: read("pipeline"),
    output: read("output"),
    resources: read("resources"),
    shape: read("shape"),
  };
}

/** Refuses unknown fields: a field of a later version may change the meaning of others. */
function only(fields: Fields, place: string, names: readonly string[]): void {
  const other = [...fields.keys()].find((name) => !names.includes(name));
  if (other !== undefined) throw new ArtifactError(`${place} has an unknown field \`${other}\``);
}

const digest = /^[0-9a-f]{64}$/;
const runtimeDigest = /^sha256-[0-9a-f]{64}$/;
/** File names of the runtime. The only dot is that of the ending, so a name cannot lead out of the folder. */
const runtimeModule = /^runtime(?:\/[a-z0-9-]+)+\.ts$/;
const listenPath = /^\/(?:.*\/)?$/s;
const anyText = /./s;

type Fields = ReadonlyMap<string, unknown>;

/** An object of JSON. */
interface ReadRecord {
  readonly fields: Fields;
  /** Returns the results of `read` for each value, under the same names; `place` says where the value is. */
  map<T>(read: (value: unknown, place: string) => T): Readonly<Record<string, T>>;
}

/** Returns `value` as an object. Refuses the name `__proto__`, which some readers treat specially. */
function asRecord(value: unknown, place: string): ReadRecord {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new ArtifactError(`${place} is not an object`);
  const fields = new Map<string, unknown>(Object.entries(value));
  if (fields.has("__proto__")) throw new ArtifactError(`${place} has a field \`__proto__\``);
  return {
    fields,
    map: (read) =>
      Object.fromEntries([...fields].map(([name, each]) => [name, read(each, `${place}.${name}`)])),
  };
}

/** Returns `value` as a text that matches `pattern`. */
function asText(value: unknown, place: string, pattern: RegExp): string {
  if (typeof value !== "string" || !pattern.test(value))
    throw new ArtifactError(`${place} cannot be ${describe(value)}`);
  return value;
}

/** Returns `value` as a list of texts that match `pattern`, without duplicates. */
function asTexts(value: unknown, place: string, pattern: RegExp): readonly string[] {
  if (!Array.isArray(value)) throw new ArtifactError(`${place} is not a list`);
  const texts = value.map((each: unknown, index) => asText(each, `${place}[${index}]`, pattern));
  if (new Set(texts).size < texts.length) throw new ArtifactError(`${place} has something twice`);
  return texts;
}

/** Returns `value` as an integer of at least `least`. */
function asNumber(value: unknown, place: string, least: number): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < least)
    throw new ArtifactError(`${place} cannot be ${describe(value)}, only a whole number from ${least}`);
  return value;
}

/** Describes a value for an error message, shortened because the source may send megabytes. */
function describe(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
