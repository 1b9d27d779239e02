// Lookups in MaxMind databases that the tests write.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { compileMapping } from "../../../compiler/index.ts";
import * as geoip from "../../../runtime/mapping/geoip.ts";
import { recordFields } from "../../../runtime/mapping/geoip.ts";
import { printJson } from "../../../runtime/message/json.ts";
import type { Value } from "../../../runtime/message/value.ts";
import { type Stored, writeDatabase } from "../../harness/maxmind-database.ts";

const test = suite("geoip");
const folder = mkdtempSync(join(tmpdir(), "sluice-geoip-"));
test.after(() => rmSync(folder, { recursive: true }));

/** The network 81.0.0.0/8 as bits, and as IPv6 databases represent it. */
const eightyOne = "01010001";
const inSix = "0".repeat(96) + eightyOne;

const london: Stored = {
  city: { geoname_id: 2643743, names: { en: "London", ru: "Лондон" } },
  continent: { code: "EU", geoname_id: 6255148, names: { en: "Europe" } },
  country: {
    geoname_id: 2635167,
    iso_code: "GB",
    names: { en: "United Kingdom" },
    is_in_european_union: true,
  },
  location: { accuracy_radius: 10, latitude: 51.5142, longitude: -0.0931, time_zone: "Europe/London" },
  subdivisions: [{ geoname_id: 6269131, iso_code: "ENG", names: { en: "England" } }],
  traits: { is_anycast: true },
  unknown_to_the_reference: "left out",
};

function database(
  name: string,
  type: string,
  version: 4 | 6,
  networks: Readonly<Record<string, Stored>>,
): string {
  const path = join(folder, name);
  writeFileSync(path, writeDatabase(type, version, networks));
  return path;
}

const city = database("city.mmdb", "GeoLite2-City", 6, {
  [inSix]: london,
  "0010000000000001": { postal: { code: "X" } },
});

function lookUp(method: geoip.LookupMethod, address: Value, path: string): string {
  return printJson(method(geoip.createDatabase(), address, "", path));
}

const none = '"GeoNameID":0,"IsInEuropeanUnion":false,"IsoCode":"","Names":null';
const nowhere =
  '{"City":{"GeoNameID":0,"Names":null},"Continent":{"Code":"","GeoNameID":0,"Names":null},' +
  `"Country":{${none}},` +
  '"Location":{"AccuracyRadius":0,"Latitude":0,"Longitude":0,"MetroCode":0,"TimeZone":""},"Postal":{"Code":""},' +
  `"RegisteredCountry":{${none}},"RepresentedCountry":{${none},"Type":""},"Subdivisions":null,` +
  '"Traits":{"IsAnonymousProxy":false,"IsAnycast":false,"IsSatelliteProvider":false}}';

test("a city has every field, with zero values where the database has none", () => {
  assert.is(
    lookUp(geoip.geoipCity, "81.2.69.142", city),
    '{"City":{"GeoNameID":2643743,"Names":{"en":"London","ru":"Лондон"}},' +
      '"Continent":{"Code":"EU","GeoNameID":6255148,"Names":{"en":"Europe"}},' +
      '"Country":{"GeoNameID":2635167,"IsInEuropeanUnion":true,"IsoCode":"GB","Names":{"en":"United Kingdom"}},' +
      '"Location":{"AccuracyRadius":10,"Latitude":51.5142,"Longitude":-0.0931,"MetroCode":0,"TimeZone":"Europe/London"},' +
      `"Postal":{"Code":""},"RegisteredCountry":{${none}},"RepresentedCountry":{${none},"Type":""},` +
      '"Subdivisions":[{"GeoNameID":6269131,"IsoCode":"ENG","Names":{"en":"England"}}],' +
      '"Traits":{"IsAnonymousProxy":false,"IsAnycast":true,"IsSatelliteProvider":false}}',
  );
  assert.is(lookUp(geoip.geoipCity, "9.9.9.9", city), nowhere);
});

test("addresses are accepted in every notation", () => {
  const found = lookUp(geoip.geoipCity, "81.2.69.142", city);
  assert.is(lookUp(geoip.geoipCity, "::ffff:81.2.69.142", city), found);
  assert.is(lookUp(geoip.geoipCity, "::ffff:5102:458e", city), found);
  assert.is(lookUp(geoip.geoipCity, new TextEncoder().encode("81.2.69.142"), city), found);
  assert.match(lookUp(geoip.geoipCity, "2001:1::", city), '"Postal":{"Code":"X"}');
});

test("each lookup has the fields of its kind", () => {
  const asn = { autonomous_system_number: 1221, autonomous_system_organization: "Telstra" };
  const organisation = {
    ...asn,
    isp: "Telstra Internet",
    organization: "Telstra",
    mobile_network_code: "03",
  };
  const cases = [
    [
      "GeoLite2-ASN",
      geoip.geoipAsn,
      asn,
      '{"AutonomousSystemNumber":1221,"AutonomousSystemOrganization":"Telstra"}',
    ],
    [
      "GeoIP2-ISP",
      geoip.geoipIsp,
      organisation,
      '{"AutonomousSystemNumber":1221,"AutonomousSystemOrganization":"Telstra","ISP":"Telstra Internet",' +
        '"MobileCountryCode":"","MobileNetworkCode":"03","Organization":"Telstra"}',
    ],
    ["GeoIP2-Domain", geoip.geoipDomain, { domain: "a.example" }, '{"Domain":"a.example"}'],
    [
      "GeoIP2-Connection-Type",
      geoip.geoipConnectionType,
      { connection_type: "Corporate" },
      '{"ConnectionType":"Corporate"}',
    ],
    [
      "GeoIP2-Anonymous-IP",
      geoip.geoipAnonymousIp,
      { is_anonymous: true, is_tor_exit_node: true },
      '{"IsAnonymous":true,"IsAnonymousVPN":false,"IsHostingProvider":false,"IsPublicProxy":false,' +
        '"IsResidentialProxy":false,"IsTorExitNode":true}',
    ],
  ] as const;
  for (const [type, method, record, expected] of cases) {
    const path = database(`${type}.mmdb`, type, 4, { [eightyOne]: record });
    assert.is(lookUp(method, "81.1.1.1", path), expected, type);
  }
  const everything = database("all.mmdb", "GeoIP2-Enterprise", 4, {
    [eightyOne]: { city: { confidence: 50 }, traits: { static_ip_score: 1.5, user_type: "school" } },
  });
  const enterprise = lookUp(geoip.geoipEnterprise, "81.1.1.1", everything);
  assert.match(enterprise, '"City":{"Confidence":50,"GeoNameID":0,"Names":null}');
  assert.match(enterprise, '"StaticIPScore":1.5,"UserType":"school"');
  assert.match(lookUp(geoip.geoipCountry, "81.1.1.1", everything), `"Country":{${none}}`);
  assert.is(Object.keys(recordFields).length, 8);
});

test("errors name the reason", () => {
  const four = database("four.mmdb", "GeoIP2-Country", 4, { [eightyOne]: { country: { iso_code: 5 } } });
  const odd = database("odd.mmdb", "Weather", 4, { [eightyOne]: {} });
  const broken = join(folder, "broken.mmdb");
  writeFileSync(broken, "no database");
  const cases = [
    [geoip.geoipCity, "nonsense", city, "value nonsense does not appear to be a valid v4 or v6 IP address"],
    [
      geoip.geoipCity,
      "fe80::1%eth0",
      city,
      "value fe80::1%eth0 does not appear to be a valid v4 or v6 IP address",
    ],
    [geoip.geoipCity, 5, city, "expected string value, got number (5)"],
    [geoip.geoipIsp, "1.1.1.1", city, "geoip2: the ISP method does not support the GeoLite2-City database"],
    [geoip.geoipCity, "1.1.1.1", odd, 'geoip2: reader does not support the "Weather" database type'],
    [
      geoip.geoipCountry,
      "2001::",
      four,
      "error looking up '2001::': you attempted to look up an IPv6 address in an IPv4-only database",
    ],
    [geoip.geoipCountry, "81.1.1.1", four, "maxminddb: cannot unmarshal 5 into a text"],
    [
      geoip.geoipCity,
      "1.1.1.1",
      join(folder, "none"),
      `open ${join(folder, "none")}: no such file or directory`,
    ],
  ] as const;
  for (const [method, address, path, message] of cases)
    assert.throws(() => method(geoip.createDatabase(), address, "", path), message);
  assert.throws(
    () => lookUp(geoip.geoipCity, "1.1.1.1", broken),
    /^error opening database: invalid MaxMind DB file/,
  );
});

test("a call opens its database once, and again for another path", () => {
  const paths: string[] = [];
  const bytes = writeDatabase("GeoIP2-Domain", 4, { [eightyOne]: { domain: "a" } });
  const kept = geoip.createDatabase((path) => {
    paths.push(path);
    return bytes;
  });
  for (const path of ["a", "a", "b", "b"]) geoip.geoipDomain(kept, "81.0.0.1", "", path);
  assert.equal(paths, ["a", "b"]);
});

test("a compiled mapping reads databases from the file system it is given", () => {
  const bytes = writeDatabase("GeoIP2-Domain", 4, { [eightyOne]: { domain: "a.example" } });
  const files = { readFile: (path: string) => (path === "domains" ? bytes : "") };
  const mapping = compileMapping('root = this.ip.geoip_domain(path: "domains").Domain', {
    fileSystem: files,
  });
  const result = mapping.run({ content: '{"ip":"81.0.0.1"}' });
  assert.is(new TextDecoder().decode(result?.content), "a.example");
  const without = compileMapping('root = this.ip.geoip_domain("domains")');
  assert.throws(() => without.run({ content: '{"ip":"81.0.0.1"}' }), /there is no file system/);
});

test.run();
