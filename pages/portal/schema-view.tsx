// Shows a schema as a list of properties. The user expands nested levels, as schemas may be recursive.

import { useState } from "preact/hooks";
import { InlineMarkdown } from "../kit/markdown.tsx";
import { t } from "./messages.ts";
import {
  limitsOf,
  type Part,
  partOf,
  partsOf,
  referenceName,
  resolvePart,
  textOf,
  typeOf,
} from "./schemas.ts";

/** Number of levels that are initially expanded. */
const shownLevels = 2;

/** Shows a schema. `root`: the document in which its references are resolved. */
export function SchemaView({
  root,
  schema: given,
  level = 0,
}: {
  readonly root: Part;
  readonly schema: unknown;
  readonly level?: number;
}) {
  const schema = resolvePart(root, given);
  const name = referenceName(given);
  const children = childrenOf(schema);
  const inside = children.length > 0 && (
    <ul class="schema">
      {children.map(({ label, note, schema: child }) => (
        <li key={`${note} ${label}`}>
          {label !== "" && <code>{label}</code>}
          {note !== "" && <span class="faint"> {note}</span>}{" "}
          <SchemaView root={root} schema={child} level={level + 1} />
        </li>
      ))}
    </ul>
  );
  return (
    <>
      <span class="faint">{[typeOf(schema), ...limitsOf(schema)].join(", ")}</span>{" "}
      <InlineMarkdown text={textOf(schema.description)} />
      {inside !== false && level >= shownLevels ? (
        <Closed name={name || t("docs.parts")}>{() => inside}</Closed>
      ) : (
        inside
      )}
    </>
  );
}

/** A collapsed part whose content is rendered when it is expanded. */
function Closed({
  name,
  children,
}: {
  readonly name: string;
  readonly children: () => preact.ComponentChildren;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{name}</summary>
      {isOpen && children()}
    </details>
  );
}

interface Child {
  readonly label: string;
  readonly note: string;
  readonly schema: unknown;
}

function childrenOf(schema: Part): readonly Child[] {
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const among = (keyword: string, note: string): readonly Child[] =>
    partsOf(schema[keyword]).map((each, index) => ({
      label: "",
      note: `${note} ${index + 1}:`,
      schema: each,
    }));
  const single = (keyword: string, note: string): readonly Child[] =>
    Object.keys(partOf(schema[keyword])).length > 0 && !Array.isArray(schema[keyword])
      ? [{ label: "", note, schema: schema[keyword] }]
      : [];
  return [
    ...Object.entries(partOf(schema.properties)).map(([label, each]) => ({
      label,
      note: required.includes(label) ? t("docs.required") : "",
      schema: each,
    })),
    ...single("items", t("docs.each")),
    ...among("items", t("docs.item")),
    ...among("prefixItems", t("docs.item")),
    ...single("additionalProperties", t("docs.others")),
    ...among("oneOf", t("docs.oneOf")),
    ...among("anyOf", t("docs.anyOf")),
    ...among("allOf", t("docs.allOf")),
  ];
}
