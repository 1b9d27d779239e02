// IP addresses looked up in MaxMind databases.

import { isIP } from "node:net";
import { Reader, type Response } from "mmdb-lib";
import { MappingError } from "../errors.ts";
import type { Value } from "../message/value.ts";
import { asBuffer } from "../text/utf8.ts";
import { pluginText, textArgument } from "./arguments.ts";
import { type ReadBytes, readBytes } from "./files.ts";
import { describeRecord, type Lookup } from "./geoip-records.ts";

/** The database a call has last used; the path of a call hardly ever changes. */
export interface KeptDatabase {
  readonly read: ReadBytes;
  used: { readonly path: string; readonly reader: Reader<Response> } | undefined;
}

/** No database used yet; `read` reads their files. */
export function createDatabase(read: ReadBytes = readBytes): KeptDatabase {
  return { read, used: undefined };
}

/** A method that looks its target up: the state of the call, the target, its name in errors, the path. */
export type LookupMethod = (kept: KeptDatabase, target: Value, from: string, path: Value) => Value;

/** `.geoip_anonymous_ip(path)` */
export const geoipAnonymousIp: LookupMethod = /* @__PURE__ */ lookingUp("AnonymousIP", "geoip_anonymous_ip");
/** `.geoip_asn(path)` */
export const geoipAsn: LookupMethod = /* @__PURE__ */ lookingUp("ASN", "geoip_asn");
/** `.geoip_city(path)` */
export const geoipCity: LookupMethod = /* @__PURE__ */ lookingUp("City", "geoip_city");
/** `.geoip_connection_type(path)` */
export const geoipConnectionType: LookupMethod = /* @__PURE__ */ lookingUp(
  "ConnectionType",
  "geoip_connection_type",
);
/** `.geoip_country(path)` */
export const geoipCountry: LookupMethod = /* @__PURE__ */ lookingUp("Country", "geoip_country");
/** `.geoip_domain(path)` */
export const geoipDomain: LookupMethod = /* @__PURE__ */ lookingUp("Domain", "geoip_domain");
/** `.geoip_enterprise(path)` */
export const geoipEnterprise: LookupMethod = /* @__PURE__ */ lookingUp("Enterprise", "geoip_enterprise");
/** `.geoip_isp(path)` */
export const geoipIsp: LookupMethod = /* @__PURE__ */ lookingUp("ISP", "geoip_isp");

function lookingUp(lookup: Lookup, method: string): LookupMethod {
  return (kept, target, _from, path) => {
    const reader = openKept(kept, textArgument(`method '${method}'`, "path", path));
    const address = parseAddress(pluginText(target));
    const { databaseType, ipVersion } = reader.metadata;
    if (!lookupsOf(databaseType).includes(lookup))
      throw new MappingError(`geoip2: the ${lookup} method does not support the ${databaseType} database`);
    if (isIP(address) === 6 && ipVersion === 4)
      throw new MappingError(
        `error looking up '${address}': you attempted to look up an IPv6 address in an IPv4-only database`,
      );
    return describeRecord(guarded(() => reader.get(address)) ?? undefined, lookup);
  };
}

/** An address as the reader takes it; IPv4 written as IPv6 is looked up as IPv4. */
function parseAddress(text: string): string {
  const version = text.includes("%") ? 0 : isIP(text);
  if (version === 0)
    throw new MappingError(`value ${text} does not appear to be a valid v4 or v6 IP address`);
  if (version === 4) return text;
  const shortest = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(shortest) ?? [];
  if (high === undefined || low === undefined) return shortest;
  return [high, low].flatMap((half) => [parseInt(half, 16) >> 8, parseInt(half, 16) & 0xff]).join(".");
}

/** Databases of the machine in use anywhere in the process: they are large, and many calls read the same. */
const opened = /* @__PURE__ */ new Map<string, WeakRef<Reader<Response>>>();

function openKept(kept: KeptDatabase, path: string): Reader<Response> {
  if (kept.used?.path !== path) kept.used = { path, reader: openShared(path, kept.read) };
  return kept.used.reader;
}

/** Only files of the machine are shared; what else reads files is its caller's own. */
function openShared(path: string, read: ReadBytes): Reader<Response> {
  if (read !== readBytes) return open(path, read);
  const shared = opened.get(path)?.deref();
  if (shared !== undefined) return shared;
  const reader = open(path, read);
  opened.set(path, new WeakRef(reader));
  return reader;
}

function open(path: string, read: ReadBytes): Reader<Response> {
  const bytes = read(path);
  const reader = guarded(() => new Reader<Response>(asBuffer(bytes)));
  const { databaseType } = reader.metadata;
  if (lookupsOf(databaseType).length > 0) return reader;
  throw new MappingError(`geoip2: reader does not support the ${JSON.stringify(databaseType)} database type`);
}

/** What the reader throws, of whatever class, means that the file is broken. */
function guarded<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new MappingError(`error opening database: invalid MaxMind DB file: ${error.message}`);
  }
}

/** The lookups a type of database takes. */
function lookupsOf(type: string): readonly Lookup[] {
  return databaseTypes.find(({ types }) => types.includes(type))?.lookups ?? [];
}

/** Databases of countries take lookups of cities, as they always have in the reference. */
const databaseTypes: readonly { readonly lookups: readonly Lookup[]; readonly types: readonly string[] }[] = [
  { lookups: ["AnonymousIP"], types: ["GeoIP2-Anonymous-IP"] },
  { lookups: ["ASN"], types: ["DBIP-ASN-Lite (compat=GeoLite2-ASN)", "GeoLite2-ASN"] },
  { lookups: ["ConnectionType"], types: ["GeoIP2-Connection-Type"] },
  { lookups: ["Domain"], types: ["GeoIP2-Domain"] },
  { lookups: ["ISP", "ASN"], types: ["GeoIP2-ISP", "GeoIP2-Precision-ISP"] },
  {
    lookups: ["Enterprise", "City", "Country"],
    types: ["DBIP-ISP (compat=Enterprise)", "DBIP-Location-ISP (compat=Enterprise)", "GeoIP2-Enterprise"],
  },
  {
    lookups: ["City", "Country"],
    types: [
      "DBIP-City-Lite",
      "DBIP-Country",
      "DBIP-Country-Lite",
      "DBIP-Location (compat=City)",
      "GeoIP2-City",
      "GeoIP2-City-Africa",
      "GeoIP2-City-Asia-Pacific",
      "GeoIP2-City-Europe",
      "GeoIP2-City-North-America",
      "GeoIP2-City-South-America",
      "GeoIP2-Country",
      "GeoIP2-Precision-City",
      "GeoLite2-City",
      "GeoLite2-Country",
    ],
  },
];
