// Finds the Kafka consumer groups of a gateway, whose replicas share the partitions.

import { lagScaler } from "../../schemas/shipping.ts";
import type { ComponentPlan, FieldPlan, ObjectPlan, Plan, ValuePlan } from "../plan/plan.ts";
import { plannedOptions } from "../plan/planned-options.ts";
import { valuesWithin } from "../plan/values.ts";

/** A known text, or the variable that contains it. */
export type TextOrVariable = { readonly text: string } | { readonly variable: string };

/** One topic that a group reads; without `topic`, all of its topics, because they are a pattern. */
export interface GroupTopic {
  /** The KEDA scaler that measures its lag. */
  readonly scaler: string;
  readonly brokers: TextOrVariable;
  readonly group: TextOrVariable;
  readonly topic?: TextOrVariable;
  readonly isEncrypted: boolean;
  readonly hasLogin: boolean;
}

/** Returns the topics of all inputs whose brokers and group are known or come from one variable each. */
export function groupTopicsOf({ apis }: Plan): readonly GroupTopic[] {
  const inputs = apis
    .flatMap(({ streams }) => streams)
    .flatMap(({ input }) => valuesWithin(input))
    .filter((value): value is ComponentPlan => value.kind === "Component" && value.role === "input")
    .filter(({ name }) => lagScaler(name) !== undefined);
  const found = inputs.flatMap(topicsOfInput);
  return [...new Map(found.map((each) => [JSON.stringify(each), each])).values()];
}

function topicsOfInput({ name, options }: ComponentPlan): readonly GroupTopic[] {
  const fieldOf = (name: string) => options.fields.find((field: FieldPlan) => field.name === name)?.value;
  const known = plannedOptions(options);
  if (!known.isSet("consumer_group")) return [];
  const group = readText(fieldOf("consumer_group"));
  const brokers = readText(fieldOf("addresses") ?? fieldOf("seed_brokers"));
  if (group === undefined || brokers === undefined) return [];
  const common = {
    ...{ brokers, group, scaler: lagScaler(name) ?? "" },
    isEncrypted: known.literal("tls.enabled") === true,
    hasLogin: hasLogin(fieldOf("sasl")),
  };
  const topics = known.literal("regexp_topics") === true ? [] : listOf(fieldOf("topics")).map(readText);
  if (topics.length === 0 || topics.includes(undefined)) return [common];
  return topics.flatMap((topic) => (topic === undefined ? [] : [{ ...common, topic }]));
}

function listOf(value: ValuePlan | undefined): readonly ValuePlan[] {
  if (value === undefined) return [];
  return value.kind === "List" ? value.items : [value];
}

/** Returns the items of a list joined by commas; `undefined` if the list contains a variable among other items. */
function readText(value: ValuePlan | undefined): TextOrVariable | undefined {
  const items = listOf(value);
  const [first] = items;
  if (items.length === 1 && first?.kind === "Environment") {
    const [part, ...others] = first.parts;
    return part?.kind === "Variable" && others.length === 0 ? { variable: part.name } : undefined;
  }
  const texts = items.map((item) =>
    item.kind === "Literal" && typeof item.value === "string" ? item.value : undefined,
  );
  return texts.length === 0 || texts.includes(undefined) ? undefined : { text: texts.join(",") };
}

function hasLogin(sasl: ValuePlan | undefined): boolean {
  const blocks = listOf(sasl).filter((each): each is ObjectPlan => each.kind === "Object");
  return blocks.some((block) => {
    const mechanism = plannedOptions(block).literal("mechanism");
    return mechanism !== undefined && mechanism !== "none";
  });
}
