// Lists the contents of a bundle for tools that search for vulnerable packages and for licences: CycloneDX 1.6 as JSON
// (ECMA-424). It omits time and serial number, which are optional, so that the same gateway has the same bill.

import type { ContainedPackage } from "./notices.ts";

/** Names of licences that the schema of CycloneDX accepts as SPDX identifiers; others are written as names. */
const identifiers: ReadonlySet<string> = new Set([
  ...[
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BlueOak-1.0.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
  ],
  ...["MPL-2.0", "Python-2.0", "Unlicense", "Zlib"],
]);

/** Returns the bill of a gateway, whose first package is the compiler. */
export function createBillOfMaterials(packages: readonly ContainedPackage[]): string {
  const [compiler] = packages;
  const refs = packages.map(purlOf);
  const tool = compiler && { type: "application", name: compiler.name, version: compiler.version };
  const bill = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    ...{ bomFormat: "CycloneDX", specVersion: "1.6", version: 1 },
    metadata: {
      ...(tool && { tools: { components: [tool] } }),
      component: { type: "application", "bom-ref": "gateway", name: "gateway.mjs" },
    },
    components: packages.map(describePackage),
    dependencies: [{ ref: "gateway", dependsOn: refs }, ...refs.map((ref) => ({ ref }))],
  };
  return `${JSON.stringify(bill, undefined, 2)}\n`;
}

function describePackage(each: ContainedPackage): object {
  const { name, version, licence, holders } = each;
  const [, group, rest = name] = /^(@[^/]+)\/(.*)$/.exec(name) ?? [];
  return {
    ...{ type: "library", "bom-ref": purlOf(each) },
    ...(group !== undefined && { group }),
    ...{ name: rest, version, purl: purlOf(each), licenses: [describeLicence(licence)] },
    ...(holders.length > 0 && { copyright: holders.join("\n") }),
  };
}

function describeLicence(licence: string): object {
  if (/\s(?:AND|OR|WITH)\s/.test(licence)) return { expression: licence };
  return { license: identifiers.has(licence) ? { id: licence } : { name: licence } };
}

/** Returns a package URL (ECMA-427): `pkg:npm/%40nats-io/kv@3.4.0`. */
function purlOf({ name, version }: ContainedPackage): string {
  return `pkg:npm/${name.replace("@", "%40")}@${encodeURIComponent(version)}`;
}
