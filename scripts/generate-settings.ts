// Generates docs/settings.md: the supported settings of `x-gw-api-gateway` and `gateway.yaml`, and how the others are
// reported. Run by `scripts/generate-reference.ts`; a test fails if the checked-in file differs from its output.

import { documentSchemas } from "../schemas/catalogue.ts";
import type { Schema } from "../schemas/schema.ts";

/** The page, relative to the root of the repository. */
export const settingsPath = "docs/settings.md";

/** The treatment of a known setting. */
export type SettingTreatment = "taken" | "not supported" | "refused" | "without effect";

/** A setting, its treatment and the reason. */
export interface DescribedSetting {
  /** Keys from the root; `*` stands for any name, `[]` for an item. */
  readonly path: readonly string[];
  readonly treatment: SettingTreatment;
  readonly why?: string;
  /** Present if some of its values are accepted but have no effect. */
  readonly schema?: Schema;
}

/** Returns the text of the page. */
export function generateSettings(): string {
  return [
    "<!-- Generated from schemas/ by scripts/generate-settings.ts. Do not edit. -->",
    "# Settings",
    intro,
    ...sectionOf("`x-gw-api-gateway`", documentSchemas.apiGateway),
    ...sectionOf("`gateway.yaml`", documentSchemas.gateway),
    "",
  ].join("\n\n");
}

const intro = `Which settings a gateway takes, and which it does not. One that it does not take has a diagnostic at its place: GW4016 where it is
not supported, GW4190 where it is refused, GW4018 or GW4271 where it has no effect, GW4010 where it is not known. What stands in a block with
\`enabled: false\` asks for nothing and is not judged. [The reference](reference.md) has types, defaults and meanings.`;

function sectionOf(title: string, schema: Schema): readonly string[] {
  const settings = describeSettings(schema);
  const others = settings.filter(({ treatment }) => treatment !== "taken");
  const rows = others.map(
    ({ path, treatment, why }) =>
      `| \`${print(path)}\` | ${treatment}${why === undefined ? "" : `, as ${why}`} |`,
  );
  const acted = settings.filter(({ treatment }) => treatment === "taken");
  const groups = Map.groupBy(acted, ({ path: [first = ""] }) => first);
  const lists = [...groups].map(
    ([first, each]) => `| \`${first}\` | ${each.map(({ path }) => `\`${print(path)}\``).join(" ")} |`,
  );
  return [
    `## ${title}`,
    `${acted.length} settings are taken, ${others.length} are not.`,
    ["| block | taken |", "|---|---|", ...lists].join("\n"),
    ...(rows.length === 0 ? [] : [["| not taken | how |", "|---|---|", ...rows].join("\n")]),
  ];
}

function print(path: readonly string[]): string {
  return path.join(".").replaceAll(".[]", "[]");
}

/** Returns every setting with a value, and every known setting that is not supported, in the order of the schema. */
export function describeSettings(schema: Schema, path: readonly string[] = []): readonly DescribedSetting[] {
  const not = (treatment: SettingTreatment, names: Readonly<Record<string, string | undefined>>) =>
    Object.entries(names).map(([name, why]): DescribedSetting => {
      return { path: [...path, name], treatment, ...(why !== undefined && { why }) };
    });
  const unsupported = Object.fromEntries((schema["x-unsupported"] ?? []).map((name) => [name, undefined]));
  return [
    ...innerSchemas(schema).flatMap(([name, each]) => settingsOf(each, [...path, name])),
    ...not("not supported", unsupported),
    ...not("refused", schema["x-refused"] ?? {}),
    ...not("without effect", schema["x-without-effect"] ?? {}),
  ];
}

function settingsOf(schema: Schema, path: readonly string[]): readonly DescribedSetting[] {
  if (schema["x-reserved"] === true) return [{ path, treatment: "without effect", schema }];
  const inner = describeSettings(schema, path);
  return inner.length > 0 ? inner : [{ path, treatment: "taken" }];
}

/** Returns the schemas of the values inside a value with this schema. */
export function innerSchemas(schema: Schema): readonly (readonly [name: string, schema: Schema])[] {
  return [
    ...Object.entries(schema.properties ?? {}),
    ...(typeof schema.additionalProperties === "object" ? [["*", schema.additionalProperties] as const] : []),
    ...(schema.items === undefined ? [] : [["[]", schema.items] as const]),
  ];
}
