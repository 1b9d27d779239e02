// Rules about blocks that protect, and about allow lists: blocks that do not say whether they are enforced, blocks that
// `enabled: false` switches off, and lists that allow nothing.

import type { Schema } from "../../../../schemas/schema.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiModel } from "../../../model/api.ts";
import { enabledOf } from "../../../model/options.ts";
import { itemsOf } from "../../../model/written.ts";
import type { FieldNode, ObjectField } from "../../../trees/api.ts";
import type { SchemedValue } from "../values.ts";

/** Reports protections that do not say whether they apply, and protections that are filled in but switched off. */
export function checkProtectionBlock(block: SchemedValue, report: Report): void {
  const { name, nameSpan, value, schema } = block;
  const declaring = schema["x-protection"];
  if (declaring === undefined || value.kind !== "Object") return;
  const enabled = enabledOf(block);
  if (enabled?.value === undefined) {
    if (isUndecided(value, schema)) report("GW4352", nameSpan, { block: name });
    return;
  }
  if (!enabled.isSwitchedOff) return;
  const fields = value.fields.filter((field) => declaring.includes(field.name) && saysSomething(field));
  if (fields.length > 0)
    report("GW4350", enabled.value.span, { block: name, fields: fields.map((field) => field.name) });
}

/** Reports allow lists that are written but empty. */
export function checkAllowList({ name, nameSpan, value, schema, owner }: SchemedValue, report: Report): void {
  if (schema["x-allow-list"] !== true || value.kind !== "List" || value.items.length > 0) return;
  // Entries that could not be read are reported.
  const { source, start, end } = value.span;
  if (/[^[\]\s]/.test(source.text.slice(start, end).replaceAll(/#.*/g, ""))) return;
  if (owner === undefined || enabledOf(owner)?.isSwitchedOff !== true)
    report("GW4351", nameSpan, { list: name });
}

/**
 * Whether it is undecided that the block applies. A block without `enabled` applies if it is filled in. An empty block
 * is undecided, and so is a filled-in block that the reference engine treats as off (`x-switched`).
 */
function isUndecided(block: ObjectField, schema: Schema): boolean {
  // A block that lacks all fields that could protect is reported elsewhere.
  if ((block.unread ?? []).length > 0 || schema["x-one-of"] !== undefined) return false;
  if (schema["x-switched"] === true) return block.fields.length > 0;
  return !block.fields.some(saysSomething) && !block.fields.some(({ value }) => isEmptyList(value));
}

function isEmptyList(value: FieldNode): boolean {
  return value.kind === "List" && value.items.length === 0;
}

/** Whether a field contains more than the value that dashboards write for an empty form field. */
function saysSomething({ value }: ObjectField["fields"][number]): boolean {
  switch (value.kind) {
    case "Literal":
      return value.value !== "" && value.value !== false && value.value !== null && Number(value.value) !== 0;
    case "Duration":
      return value.milliseconds > 0;
    case "List":
      return value.items.length > 0;
    case "Object":
      return value.fields.some(saysSomething);
    default:
      return true;
  }
}

/** Reports `gatewayTags` that is enabled, or that has tags but no `enabled`: it selects gateways by their tags. */
export function checkUnservable({ blocks }: ApiModel, report: Report): void {
  const { gatewayTags: block, tags } = blocks;
  if (block === undefined) return;
  const isFilledIn = !block.isStated && itemsOf(tags?.node).length > 0;
  if (block.enabled === true || isFilledIn)
    report("GW4041", block.stateSpan, { field: `${block.path}.enabled` });
}
