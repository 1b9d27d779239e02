// The benchmarks of single messages: each mapping is compared with a hand-written equivalent.

import { readFileSync } from "node:fs";
import { Message } from "../runtime/message/message.ts";
import type { MappingFunction } from "../runtime/processors/functions.ts";
import { compileMapping } from "./compiled.ts";
import type { Comparison } from "./measure.ts";
import { createOrders } from "./orders.ts";

interface Order {
  readonly order_id: string;
  readonly created: string;
  readonly customer: { readonly name: string; readonly email: string; readonly tier: string };
  readonly items: readonly Item[];
  readonly quantity: number;
  readonly unit_price: number | RawNumber;
  readonly currency: string;
  readonly note: string;
  readonly shipping: { readonly city: string; readonly zip: string };
  readonly internal: { readonly trace: string; readonly shard: number };
}

interface Item {
  readonly sku: string;
  readonly quantity: number;
  readonly price: number | RawNumber;
}

/** A value of `JSON.rawJSON`: a number that keeps its source text. */
interface RawNumber {
  readonly rawJSON: string;
}

/** Features of Node's JSON that the type library does not declare yet. */
const json = JSON as unknown as {
  rawJSON(text: string): RawNumber;
  parse(text: string, reviver: (key: string, value: unknown, context: { source: string }) => unknown): Order;
};

type Read = (bytes: Uint8Array) => Order;

/** Creates all comparisons, with their minimum speeds. */
export function createTransforms(): readonly Comparison[] {
  return [
    transform("order", 0.7, false, buildOrder),
    transform("order", 0.7, true, buildOrder),
    transform("order-copy", 0.7, false, copyOrder),
    transform("order-copy", 0.7, true, copyOrder),
    transform("copy-and-set", 0.85, false, copyAndSet),
    transform("copy-and-set", 0.85, true, copyAndSet),
    transform("copy-and-set, by hand for one shape", 0.7, false, copyKnownAndSet),
  ];
}

function transform(
  name: string,
  goal: number,
  exact: boolean,
  byHand: (order: Order) => unknown,
): Comparison {
  const [file = name] = name.split(",");
  const map = compileMapping(readFileSync(new URL(`mappings/${file}.blobl`, import.meta.url), "utf8"));
  const read = exact ? readExactly : readPlainly;
  return {
    name: exact ? `${name}, prices such as 19.90` : name,
    goal,
    messages: createOrders(exact),
    baseline: (bytes) => Buffer.from(JSON.stringify(byHand(read(bytes)))),
    candidate: (bytes) => runMapping(map, bytes),
  };
}

/** Returns the bytes that a mapping produces for a new message. */
export function runMapping(map: MappingFunction, bytes: Uint8Array): Uint8Array | undefined {
  return map([Message.fromBytes(bytes)], 0)?.bytes();
}

const readPlainly: Read = (bytes) => JSON.parse(textOf(bytes));

/** Keeps the source text of numbers that JavaScript would print differently. */
const readExactly: Read = (bytes) =>
  json.parse(textOf(bytes), (_key, value, { source }) =>
    typeof value === "number" && String(value) !== source ? json.rawJSON(source) : value,
  );

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

function amount(value: number | RawNumber): number {
  return typeof value === "number" ? value : Number(value.rawJSON);
}

function sortedItem({ price, quantity, sku }: Item): Item {
  return { price, quantity, sku };
}

function sortedCustomer({ email, name, tier }: Order["customer"]): Order["customer"] {
  return { email, name, tier };
}

function buildOrder(order: Order): unknown {
  return {
    created: order.created,
    currency: order.currency.toLowerCase(),
    customer: sortedCustomer(order.customer),
    id: order.order_id,
    items: order.items.filter((item) => item.quantity > 0).map(sortedItem),
    note: order.note,
    ...(order.quantity > 3 ? { priority: "high" } : {}),
    shipping: { city: order.shipping.city, zip: order.shipping.zip },
    total: order.quantity * amount(order.unit_price),
  };
}

function copyOrder(order: Order): unknown {
  return {
    created: order.created,
    currency: order.currency,
    customer: sortedCustomer(order.customer),
    id: order.order_id,
    items: order.items.filter((item) => item.quantity > 0).map(sortedItem),
    note: order.note,
    ...(order.quantity > 3 ? { priority: "high" } : {}),
    quantity: order.quantity,
    shipping: { city: order.shipping.city, zip: order.shipping.zip },
    total: order.quantity * amount(order.unit_price),
    unit_price: order.unit_price,
  };
}

function copyAndSet(order: Order): unknown {
  const changed: Record<string, unknown> = {
    ...order,
    status: "received",
    total: order.quantity * amount(order.unit_price),
  };
  return sorted(changed);
}

/** Like `copyAndSet`, for code that can rely on every order having the same keys. */
function copyKnownAndSet(order: Order): unknown {
  return {
    created: order.created,
    currency: order.currency,
    customer: sortedCustomer(order.customer),
    internal: { shard: order.internal.shard, trace: order.internal.trace },
    items: order.items.map(sortedItem),
    note: order.note,
    order_id: order.order_id,
    quantity: order.quantity,
    shipping: { city: order.shipping.city, zip: order.shipping.zip },
    status: "received",
    total: order.quantity * amount(order.unit_price),
    unit_price: order.unit_price,
  };
}

/** Returns a document of any shape with sorted keys, as hand-written code that copies documents has to do. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null || "rawJSON" in value) return value;
  const object: Record<string, unknown> = {};
  for (const key of Object.keys(value).sort()) object[key] = sorted(Reflect.get(value, key));
  return object;
}
