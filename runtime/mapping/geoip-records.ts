// What the reference makes of a record of a MaxMind database: objects with all fields of its kind, named in
// its own way, zero values where the database has none.

import { MappingError } from "../errors.ts";
import type { Value } from "../message/value.ts";
import { float, integer } from "./numeric.ts";

/** What a field is: one of the plain kinds, an object of further fields, or an array of such objects. */
type Shape = "text" | "count" | "float" | "flag" | "names" | Fields | readonly [Fields];

/** Fields by their names in results; each has its name in databases, and its shape. */
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

/** The fields of the records each lookup gives, by the name the reference has for it. */
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
export type Lookup = keyof typeof recordFields;

/** The result for what a database has, `undefined` for nothing at all. */
export function describeRecord(stored: unknown, lookup: Lookup): Value {
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
      // JSON, which results go through in the reference, does not tell a whole float from an integer.
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
  // Databases have maps by their keys, which are texts.
  return stored as Readonly<Record<string, unknown>>;
}

function unfit(stored: unknown, shape: string): MappingError {
  return new MappingError(
    `maxminddb: cannot unmarshal ${JSON.stringify(stored) ?? "nothing"} into a ${shape}`,
  );
}
