// Rules about components that contain others, including the branches of a `workflow` (`order` names each of them once;
// without it, the order follows from their mappings), and about the destination of failed messages.

import { documentSchemas } from "../../../../schemas/catalogue.ts";
import { switchProcessor } from "../../../../schemas/processors/switch.ts";
import type { Schema } from "../../../../schemas/schema.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { nearest } from "../../../diagnostics/suggest.ts";
import type { ApiModel } from "../../../model/api.ts";
import { branchNames, dependencies, orderBranches } from "../../../model/branch-order.ts";
import { endsWithin, findKey, isMeant, servesClients, writtenValue } from "../../../model/components.ts";
import { readErrorHandling } from "../../../model/error-handling.ts";
import type { SettingsModel } from "../../../model/settings.ts";
import type { ComponentNode, FieldNode, StreamNode } from "../../../trees/api.ts";
import { type DocumentNode, findEntry, findNode, findText, type MapNode } from "../../../trees/document.ts";
import { findField, findNamedField, literalText } from "../../../trees/fields.ts";
import { whyNotRe2 } from "../../regexp.ts";
import { reportVariablesInPattern, requestParts } from "./request-variables.ts";

/** Reports batches of an input or output that only further messages can complete. */
export function checkBatchingPolicies(component: ComponentNode, report: Report): void {
  const { role, config, descriptor } = component;
  if (role === "input" || role === "output") checkBatching(config, descriptor?.schema, report);
  if (role === "buffer") checkBufferedBatches(component, report);
}

/** Reports the batches of a buffer that only further messages can complete, and batching without a limit. */
function checkBufferedBatches({ name, config, descriptor }: ComponentNode, report: Report): void {
  const policy = findNamedField(config, "batch_policy");
  const block = descriptor?.schema.properties?.batch_policy;
  if (policy === undefined || block === undefined || !isTrue(findField(policy.value, "enabled"))) return;
  const fields = policy.value.kind === "Object" ? policy.value.fields : [];
  const isUnread = [...limits, "period"].some((each) => isMeant(policy.value, each, block));
  if (isUnread) return;
  checkPolicy(policy.value, report);
  if (fields.length > 1) return;
  const message = "`batch_policy` is enabled without a limit, so that batches stay as they arrive.";
  report("GW4413", policy.nameSpan, { component: name, message, hint: "Add `count` and `period`." });
}

/** Reports a last case with `continue`. */
export function checkContinuedCase({ config, name }: ComponentNode, report: Report): void {
  const cases = findField(config, "cases");
  const last = cases?.kind === "List" ? cases.items.at(-1) : undefined;
  const going = last === undefined ? undefined : findNamedField(last, "continue");
  if (going === undefined || !isTrue(going.value)) return;
  const message = "`continue` of the last case has no effect, because no case follows it.";
  report("GW4413", going.nameSpan, { component: name, message, hint: "Remove it, or add a case after it." });
}

/** Reports several copies of an endpoint that can exist only once. */
export function checkCopiedEndpoints(component: ComponentNode, report: Report): void {
  const copies = findNamedField(component.config, "copies");
  if (copies?.value.kind !== "Literal" || Number(copies.value.value) <= 1) return;
  const endpoint = endsWithin(component).find(servesClients);
  if (endpoint !== undefined) report("GW4125", copies.nameSpan, { endpoint: endpoint.name });
}

const conditions = ["error", "error_patterns", "back_pressure"] as const;

/** Reports an output that never drops anything, and patterns that cannot be parsed. */
export function checkDropConditions(component: ComponentNode, report: Report): void {
  const { config, descriptor } = component;
  const isConditional = conditions.some(
    (name) => findKey(component, name) !== undefined || isMeant(config, name, descriptor?.schema ?? {}),
  );
  if (!isConditional) report("GW4033", component.nameSpan, { field: component.name, needs: conditions });
  const patterns = findField(component.config, "error_patterns");
  for (const item of patterns?.kind === "List" ? patterns.items : []) {
    reportVariablesInPattern(item, "error_patterns", report);
    const pattern = literalText(item);
    const reason = pattern === undefined ? undefined : whyNotRe2(pattern);
    if (pattern !== undefined && reason !== undefined) report("GW4127", item.span, { pattern, reason });
  }
}

const limits = ["count", "byte_size", "check"] as const;

/** Reports batching policies whose batches only further messages can complete. */
function checkBatching(config: FieldNode, schema: Schema | undefined, report: Report): void {
  for (const [name, block] of Object.entries(schema?.properties ?? {})) {
    if (block.title !== "Batching") continue;
    const policy = findField(config, name);
    // A period that could not be read is already reported.
    if (policy !== undefined && !isMeant(policy, "period", block)) checkPolicy(policy, report);
  }
}

function checkPolicy(policy: FieldNode, report: Report): void {
  const period = findField(policy, "period");
  if (period !== undefined && (period.kind !== "Duration" || period.milliseconds > 0)) return;
  const limit = limits
    .map((each) => findNamedField(policy, each))
    .find((each) => each && isLimit(each.value));
  if (limit !== undefined) report("GW4121", limit.nameSpan, { field: limit.name });
}

/** Whether the limit is above one: a batch of one message is complete immediately. */
function isLimit(value: FieldNode): boolean {
  return value.kind !== "Literal" || Number(value.value) > 1;
}

function isTrue(value: FieldNode | undefined): boolean {
  return value?.kind === "Literal" && value.value === true;
}

const caseFields = Object.keys(switchProcessor.schema.properties?.cases?.items?.properties ?? {});

/** Reports cases without processors, and a last case that falls through. */
export function checkSwitchCases(component: ComponentNode, report: Report): void {
  const cases = casesOf(writtenValue(component));
  for (const [index, each] of cases.entries()) {
    if (each.kind === "map") checkCase(each, index === cases.length - 1, report);
  }
}

/** Returns the cases in either notation. */
function casesOf(value: DocumentNode | undefined): readonly DocumentNode[] {
  const list = value?.kind === "list" ? value : findNode(value, "cases");
  return list?.kind === "list" ? list.items : [];
}

function checkCase(each: MapNode, isLast: boolean, report: Report): void {
  const falling = findNode(each, "fallthrough");
  const fallsThrough = falling?.kind === "scalar" && falling.value === true;
  if (fallsThrough && isLast) report("GW4036", falling.span, {});
  // A misspelt `processors` is reported elsewhere.
  if (fallsThrough || each.entries.some(({ key }) => !caseFields.includes(key))) return;
  const processors = findEntry(each, "processors");
  if (processors !== undefined && !isEmptyList(processors.value)) return;
  report("GW4035", processors?.keySpan ?? each.entries[0]?.keySpan ?? each.span, {});
}

function isEmptyList(node: DocumentNode): boolean {
  return node.kind === "list" && node.items.length === 0;
}

/** Reports `drop_on_err: true`: messages are then lost while the cache is unavailable. */
export function checkDroppedWithoutCache({ config }: ComponentNode, report: Report): void {
  const field = findNamedField(config, "drop_on_err");
  if (field?.value.kind === "Literal" && field.value.value === true) report("GW4148", field.value.span, {});
}

/** Reports a key that should distinguish messages but is the same for all of them. */
export function checkKeyOfMessages({ name, config, descriptor }: ComponentNode, report: Report): void {
  for (const field of config.kind === "Object" ? config.fields : []) {
    const isComputed = descriptor?.schema.properties?.[field.name]?.["x-text"] === "interpolated";
    const isSame = field.value.kind === "Literal" || field.value.kind === "Environment";
    if (isComputed && isSame && requestParts(field.value).length === 0)
      report("GW4133", field.value.span, { processor: name, field: field.name });
  }
}

/** Reports `dead_letter` without an output, and an output that receives nothing. */
export function checkDeadLetterOfStream({ errorHandling }: StreamNode, _api: ApiModel, report: Report): void {
  checkErrorHandling(errorHandling, report);
}

/** Checks the same for `error_handling` of a set, which applies to all its streams. */
export function checkDeadLetterOfSet(settings: SettingsModel, report: Report): void {
  checkErrorHandling(settings.errorHandling?.node, report);
}

const errorHandlingFields = documentSchemas.stream.properties?.error_handling?.properties ?? {};

/** Whether the strategy is valid and no sibling key is unknown. */
function isReadable(errorHandling: DocumentNode | undefined): boolean {
  const entries = errorHandling?.kind === "map" ? errorHandling.entries : [];
  return entries.every(({ key, value }) => {
    const schema = errorHandlingFields[key];
    return schema !== undefined && (schema.enum?.includes(findText(value) ?? "") ?? true);
  });
}

function checkErrorHandling(errorHandling: DocumentNode | undefined, report: Report): void {
  const { strategy, output } = readErrorHandling(errorHandling);
  const isDeadLetter = findText(strategy?.value) === "dead_letter";
  // A misspelt `output`, or a strategy that does not exist, is reported elsewhere.
  if (!isReadable(errorHandling)) return;
  if (strategy !== undefined && isDeadLetter && output === undefined)
    report("GW4040", strategy.value.span, {});
  if (output !== undefined && !isDeadLetter) {
    report("GW4033", output.keySpan, { field: "output", needs: ["strategy: dead_letter"] });
  }
}

/** Reports an `order` that omits branches, repeats them, names unknown ones or runs them too early, and cycles. */
export function checkWorkflow(component: ComponentNode, report: Report): void {
  const { config, nameSpan, name } = component;
  // The branches are under a misspelt key and were not read.
  if (isMeant(config, "branches", component.descriptor?.schema ?? {})) return;
  const order = findNamedField(config, "order");
  const named = order === undefined ? [] : namesIn(order.value);
  const derived = orderBranches(config);
  if (order !== undefined && named.length > 0) {
    checkOrder(named, branchNames(config), order.nameSpan, report);
    if (!("circular" in derived)) checkTiers(order.value, config, name, report);
  } else if ("circular" in derived) report("GW4154", nameSpan, { names: derived.circular });
}

/** Reports branches that `order` does not run after the branch that writes the fields they read. */
function checkTiers(order: FieldNode, workflow: FieldNode, component: string, report: Report): void {
  const tiers = order.kind === "List" ? order.items.map(namesIn) : [];
  const tierOf = new Map(
    tiers.flatMap((tier, at) => tier.map((each) => [each.name, { ...each, at }] as const)),
  );
  for (const { reader, writer } of dependencies(workflow)) {
    const [early, late] = [tierOf.get(reader), tierOf.get(writer)];
    if (early === undefined || late === undefined || early.at > late.at) continue;
    const when = early.at === late.at ? "at the same time" : "later";
    const message = `\`${reader}\` reads what \`${writer}\` writes, but \`${writer}\` runs ${when}.`;
    const hint = `Put \`${reader}\` into a list of \`order\` after that of \`${writer}\`, or remove \`order\`.`;
    report("GW4413", early.span, { component, message, hint });
  }
}

type NamedBranch = { readonly name: string; readonly span: FieldNode["span"] };

function checkOrder(
  named: readonly NamedBranch[],
  branches: readonly string[],
  orderSpan: FieldNode["span"],
  report: Report,
): void {
  const seen = new Map<string, NamedBranch>();
  // Several references to one misspelt branch are reported once.
  const meant = new Set<string | undefined>();
  for (const each of named) {
    const { name, span } = each;
    const first = seen.get(name);
    if (!branches.includes(name)) {
      const closest = nearest(name, branches);
      meant.add(closest.closest);
      report("GW4151", span, { name, ...closest });
    } else if (first !== undefined) {
      report("GW4153", span, { name }, { span: first.span, message: "It is named here, too." });
    }
    seen.set(name, each);
  }
  for (const name of branches) if (!seen.has(name) && !meant.has(name)) report("GW4152", orderSpan, { name });
}

function namesIn(value: FieldNode): readonly NamedBranch[] {
  if (value.kind === "List") return value.items.flatMap(namesIn);
  const name = literalText(value);
  return name === undefined ? [] : [{ name, span: value.span }];
}
