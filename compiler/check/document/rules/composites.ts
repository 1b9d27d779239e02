// Rules about components that contain others, including the branches of a `workflow` (`order` names each of them once;
// without it, the order follows from their mappings), and about the destination of failed messages.

import { documentSchemas } from "../../../../schemas/catalogue.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { nearest } from "../../../diagnostics/suggest.ts";
import type { ApiModel } from "../../../model/api.ts";
import { branchNames, dependencies, orderBranches } from "../../../model/branch-order.ts";
import { endsWithin, findKey, isMeant, servesClients } from "../../../model/components.ts";
import { readErrorHandling } from "../../../model/error-handling.ts";
import { enabledOf, type Option, type OptionBlock, optionsNamed } from "../../../model/options.ts";
import type { SettingsModel } from "../../../model/settings.ts";
import type { ComponentNode, FieldNode, StreamNode } from "../../../trees/api.ts";
import { type DocumentNode, findText } from "../../../trees/document.ts";
import { literalText } from "../../../trees/fields.ts";
import { whyNotRe2 } from "../../regexp.ts";
import { reportVariablesInPattern, requestParts } from "./request-variables.ts";

/** Reports batches of an input or output that only further messages can complete. */
export function checkBatchingPolicies(component: ComponentNode, report: Report): void {
  const { role } = component;
  if (role === "input" || role === "output") checkBatching(component, report);
  if (role === "buffer") checkBufferedBatches(component, report);
}

const bufferOptions = optionsNamed(["batch_policy"]);

/** Reports the batches of a buffer that only further messages can complete, and batching without a limit. */
function checkBufferedBatches(component: ComponentNode, report: Report): void {
  const policy = bufferOptions(component)?.batch_policy;
  if (policy?.written === undefined || enabledOf(policy)?.isTrue !== true) return;
  const { value, nameSpan } = policy.written;
  const isUnread = [...limits, "period"].some((each) => isMeant(value, each, policy.schema));
  if (isUnread) return;
  checkPolicy(policy, report);
  if (policy.fields.length > 1) return;
  const message = "`batch_policy` is enabled without a limit, so that batches stay as they arrive.";
  report("GW4413", nameSpan, { component: component.name, message, hint: "Add `count` and `period`." });
}

const casesOptions = optionsNamed(["cases"]);
const continuation = optionsNamed(["continue"]);

/** Reports a last case with `continue`. */
export function checkContinuedCase(component: ComponentNode, report: Report): void {
  const last = casesOptions(component)?.cases.blocks.at(-1);
  const going = last && continuation(last)?.continue;
  if (going?.nameSpan === undefined || !going.isTrue) return;
  const message = "`continue` of the last case has no effect, because no case follows it.";
  const hint = "Remove it, or add a case after it.";
  report("GW4413", going.nameSpan, { component: component.name, message, hint });
}

const brokerOptions = optionsNamed(["copies"]);

/** Reports several copies of an endpoint that can exist only once. */
export function checkCopiedEndpoints(component: ComponentNode, report: Report): void {
  const copies = brokerOptions(component)?.copies;
  if (copies?.nameSpan === undefined || (copies.number ?? 1) <= 1) return;
  const endpoint = endsWithin(component).find(servesClients);
  if (endpoint !== undefined) report("GW4125", copies.nameSpan, { endpoint: endpoint.name });
}

const conditions = ["error", "error_patterns", "back_pressure"] as const;
const dropOptions = optionsNamed(conditions);

/** Reports an output that never drops anything, and patterns that cannot be parsed. */
export function checkDropConditions(component: ComponentNode, report: Report): void {
  const { config, descriptor } = component;
  const isConditional = conditions.some(
    (name) => findKey(component, name) !== undefined || isMeant(config, name, descriptor?.schema ?? {}),
  );
  if (!isConditional) report("GW4033", component.nameSpan, { field: component.name, needs: conditions });
  for (const item of dropOptions(component)?.error_patterns.items ?? []) {
    reportVariablesInPattern(item, "error_patterns", report);
    const pattern = literalText(item);
    const reason = pattern === undefined ? undefined : whyNotRe2(pattern);
    if (pattern !== undefined && reason !== undefined) report("GW4127", item.span, { pattern, reason });
  }
}

const limits = ["count", "byte_size", "check"] as const;
const policyOptions = optionsNamed([...limits, "period"]);

/** Reports batching policies whose batches only further messages can complete. */
function checkBatching({ config, descriptor }: ComponentNode, report: Report): void {
  for (const { name, value } of config.kind === "Object" ? config.fields : []) {
    const schema = descriptor?.schema.properties?.[name];
    // A period that could not be read is already reported.
    if (schema?.title === "Batching" && !isMeant(value, "period", schema))
      checkPolicy({ value, schema }, report);
  }
}

function checkPolicy(policy: OptionBlock, report: Report): void {
  const options = policyOptions(policy);
  if (options === undefined) return;
  const { period } = options;
  if (period.value !== undefined && (period.value.kind !== "Duration" || period.value.milliseconds > 0))
    return;
  const limit = limits.map((each) => options[each]).find(isLimit);
  if (limit?.nameSpan !== undefined) report("GW4121", limit.nameSpan, { field: limit.name });
}

/** Whether the limit is above one: a batch of one message is complete immediately. */
function isLimit({ value }: Option): boolean {
  return value !== undefined && (value.kind !== "Literal" || Number(value.value) > 1);
}

const stepOptions = optionsNamed(["fallthrough", "processors"]);

/** Reports cases without processors, and a last case that falls through. */
export function checkSwitchCases(component: ComponentNode, report: Report): void {
  const cases = casesOptions(component)?.cases.blocks ?? [];
  for (const [index, each] of cases.entries()) checkCase(each, index === cases.length - 1, report);
}

function checkCase(block: OptionBlock, isLast: boolean, report: Report): void {
  const options = stepOptions(block);
  const { value, schema } = block;
  if (options === undefined || value?.kind !== "Object") return;
  const { fallthrough, processors } = options;
  if (fallthrough.isTrue && isLast && fallthrough.value !== undefined)
    report("GW4036", fallthrough.value.span, {});
  // A misspelt `processors` is reported elsewhere.
  const isUnread = (key: string) => key === "processors" || !Object.hasOwn(schema.properties ?? {}, key);
  if (fallthrough.isTrue || value.unread?.some(isUnread)) return;
  if (processors.value?.kind === "List" ? processors.items.length > 0 : processors.value !== undefined)
    return;
  report("GW4035", processors.nameSpan ?? value.fields[0]?.nameSpan ?? value.span, {});
}

const dedupeOptions = optionsNamed(["drop_on_err"]);

/** Reports `drop_on_err: true`: messages are then lost while the cache is unavailable. */
export function checkDroppedWithoutCache(component: ComponentNode, report: Report): void {
  const drops = dedupeOptions(component)?.drop_on_err;
  if (drops?.value !== undefined && drops.isTrue) report("GW4148", drops.value.span, {});
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

const workflowOptions = optionsNamed(["order"]);

/** Reports an `order` that omits branches, repeats them, names unknown ones or runs them too early, and cycles. */
export function checkWorkflow(component: ComponentNode, report: Report): void {
  const { config, nameSpan } = component;
  // The branches are under a misspelt key and were not read.
  if (isMeant(config, "branches", component.descriptor?.schema ?? {})) return;
  const order = workflowOptions(component)?.order.written;
  const named = order === undefined ? [] : namesIn(order.value);
  const derived = orderBranches(component);
  if (order !== undefined && named.length > 0) {
    checkOrder(named, branchNames(component), order.nameSpan, report);
    if (!("circular" in derived)) checkTiers(order.value, component, report);
  } else if ("circular" in derived) report("GW4154", nameSpan, { names: derived.circular });
}

/** Reports branches that `order` does not run after the branch that writes the fields they read. */
function checkTiers(order: FieldNode, workflow: ComponentNode, report: Report): void {
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
    report("GW4413", early.span, { component: workflow.name, message, hint });
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
  // A name that resembles no branch may stand for any that seems to be missing.
  if (meant.has(undefined)) return;
  for (const name of branches) if (!seen.has(name) && !meant.has(name)) report("GW4152", orderSpan, { name });
}

function namesIn(value: FieldNode): readonly NamedBranch[] {
  if (value.kind === "List") return value.items.flatMap(namesIn);
  const name = literalText(value);
  return name === undefined ? [] : [{ name, span: value.span }];
}
