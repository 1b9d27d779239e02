// Looks up IP addresses in MaxMind databases. Results have all fields of their kind, with the names of the reference
// engine, and zero values for fields that the database lacks.

import { isIP } from "node:net";
import { Reader, type Response } from "mmdb-lib";
import { MappingError } from "../errors.ts";
import type { Value } from "../message/value.ts";
import { asBuffer } from "../text/utf8.ts";
import { pluginText, textArgument } from "./arguments.ts";
import { type ReadBytes, readBytes } from "./files.ts";
import { float, integer } from "./numeric.ts";

/** The database that a call used last. The path of a call rarely changes. */
export interface KeptDatabase {
  readonly read: ReadBytes;
  used: { readonly path: string; readonly reader: Reader<Response> } | undefined;
}

/** Returns the state of a call before its first lookup. `read`: reads the database files. */
export function createDatabase(read: ReadBytes = readBytes): KeptDatabase {
  return { read, used: undefined };
}

/** A lookup method. Its parameters are the state of the call, the target, the target's name in errors, and the path. */
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

/** Returns an address in the form that the reader takes. IPv4 addresses in IPv6 form are looked up as IPv4. */
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

/** The machine's databases in use in this process. They are large, and many calls read the same one. */
const opened = /* @__PURE__ */ new Map<string, WeakRef<Reader<Response>>>();

function openKept(kept: KeptDatabase, path: string): Reader<Response> {
  if (kept.used?.path !== path) kept.used = { path, reader: openShared(path, kept.read) };
  return kept.used.reader;
}

/** Only files of the machine are shared. Other readers belong to their callers. */
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

/** Turns any error of the reader into one about a broken file. */
function guarded<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new MappingError(`error opening database: invalid MaxMind DB file: ${error.message}`);
  }
}

/** Returns the lookups that a type of database supports. */
function lookupsOf(type: string): readonly Lookup[] {
  return databaseTypes.find(({ types }) => types.includes(type))?.lookups ?? [];
}

/** Country databases also support city lookups, as in the reference engine. */
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

/** The shape of a field: a plain type, an object of further fields, or an array of such objects. */
type Shape = "text" | "count" | "float" | "flag" | "names" | Fields | readonly [Fields];

/** Fields by their names in results, each with its name in databases and its shape. */
interface Fields {
  readonly [name: string]: readonly [stored: string, shape: Shape];
}

const names: Fields = { Names: ["names", "names"] };

const place: Fields = { ...names, GeoNameID: ["geoname_id", "count"] };

const country: Fields = {
  ...place,
  IsoCode: ["iso_code", "text"],
  IsInEuropeanUnion: ["is_in_european_union", "flag"],
};

const confidence: Fields = { Confidence: ["confidence", "count"] };

const continent: Fields = { ...place, Code: ["code", "text"] };

const subdivision: Fields = { ...place, IsoCode: ["iso_code", "text"] };

const location: Fields = {
  TimeZone: ["time_zone", "text"],
  Latitude: ["latitude", "float"],
  Longitude: ["longitude", "float"],
  MetroCode: ["metro_code", "count"],
  AccuracyRadius: ["accuracy_radius", "count"],
};

const traits: Fields = {
  IsAnonymousProxy: ["is_anonymous_proxy", "flag"],
  IsAnycast: ["is_anycast", "flag"],
  IsSatelliteProvider: ["is_satellite_provider", "flag"],
};

const asn: Fields = {
  AutonomousSystemNumber: ["autonomous_system_number", "count"],
  AutonomousSystemOrganization: ["autonomous_system_organization", "text"],
};

const isp: Fields = {
  ...asn,
  ISP: ["isp", "text"],
  MobileCountryCode: ["mobile_country_code", "text"],
  MobileNetworkCode: ["mobile_network_code", "text"],
  Organization: ["organization", "text"],
};

const countries: Fields = {
  Continent: ["continent", continent],
  Country: ["country", country],
  RegisteredCountry: ["registered_country", country],
  RepresentedCountry: ["represented_country", { ...country, Type: ["type", "text"] }],
  Traits: ["traits", traits],
};

/** The fields of the records of each lookup, by their names in the reference engine. */
export const recordFields = {
  AnonymousIP: {
    IsAnonymous: ["is_anonymous", "flag"],
    IsAnonymousVPN: ["is_anonymous_vpn", "flag"],
    IsHostingProvider: ["is_hosting_provider", "flag"],
    IsPublicProxy: ["is_public_proxy", "flag"],
    IsResidentialProxy: ["is_residential_proxy", "flag"],
    IsTorExitNode: ["is_tor_exit_node", "flag"],
  },
  ASN: asn,
  City: {
    ...countries,
    City: ["city", place],
    Location: ["location", location],
    Postal: ["postal", { Code: ["code", "text"] }],
    Subdivisions: ["subdivisions", [subdivision]],
  },
  ConnectionType: { ConnectionType: ["connection_type", "text"] },
  Country: countries,
  Domain: { Domain: ["domain", "text"] },
  Enterprise: {
    ...countries,
    City: ["city", { ...place, ...confidence }],
    Country: ["country", { ...country, ...confidence }],
    Location: ["location", location],
    Postal: ["postal", { Code: ["code", "text"], ...confidence }],
    RegisteredCountry: ["registered_country", { ...country, ...confidence }],
    Subdivisions: ["subdivisions", [{ ...subdivision, ...confidence }]],
    Traits: [
      "traits",
      {
        ...traits,
        ...isp,
        ConnectionType: ["connection_type", "text"],
        Domain: ["domain", "text"],
        IsLegitimateProxy: ["is_legitimate_proxy", "flag"],
        StaticIPScore: ["static_ip_score", "float"],
        UserType: ["user_type", "text"],
      },
    ],
  },
  ISP: isp,
} as const satisfies Record<string, Fields>;

/** A kind of lookup. */
type Lookup = keyof typeof recordFields;

/** Returns the result for a database record, which is `undefined` if the database has none. */
function describeRecord(stored: unknown, lookup: Lookup): Value {
  return shaped(stored, recordFields[lookup]);
}

function shaped(stored: unknown, shape: Shape): Value {
  if (typeof shape === "string") return plain(stored, shape);
  if (isList(shape)) {
    if (stored === undefined) return null;
    if (!Array.isArray(stored)) throw unfit(stored, "list");
    return stored.map((item) => shaped(item, shape[0]));
  }
  const fields = stored === undefined ? {} : asMap(stored);
  return Object.fromEntries(
    Object.entries(shape).map(([name, [key, inner]]) => [name, shaped(fields[key], inner)]),
  );
}

function isList(shape: Fields | readonly [Fields]): shape is readonly [Fields] {
  return Array.isArray(shape);
}

function plain(stored: unknown, shape: "text" | "count" | "float" | "flag" | "names"): Value {
  switch (shape) {
    case "names":
      return stored === undefined ? null : textMap(stored);
    case "text":
      if (stored === undefined || typeof stored === "string") return stored ?? "";
      break;
    case "flag":
      if (stored === undefined || typeof stored === "boolean") return stored ?? false;
      break;
    case "count":
      if (stored === undefined || typeof stored === "number") return stored ?? 0;
      if (typeof stored === "bigint") return integer(stored);
      break;
    default:
      // The reference engine passes results through JSON, which does not distinguish whole floats from integers.
      if (stored === undefined || typeof stored === "number") return wholeAsInteger(stored ?? 0);
  }
  throw unfit(stored, shape);
}

function wholeAsInteger(value: number): Value {
  return Number.isSafeInteger(value) ? value + 0 : float(value);
}

function textMap(stored: unknown): Value {
  return Object.fromEntries(
    Object.entries(asMap(stored)).map(([language, name]) => [language, plain(name, "text")]),
  );
}

function asMap(stored: unknown): Readonly<Record<string, unknown>> {
  if (typeof stored !== "object" || stored === null || Array.isArray(stored)) throw unfit(stored, "map");
  // The keys of database maps are always text.
  return stored as Readonly<Record<string, unknown>>;
}

function unfit(stored: unknown, shape: string): MappingError {
  return new MappingError(
    `maxminddb: cannot unmarshal ${JSON.stringify(stored) ?? "nothing"} into a ${shape}`,
  );
}
