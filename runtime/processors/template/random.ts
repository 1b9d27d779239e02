// Functions whose results are random. All use the secure source.

import { randomBytes, randomInt, randomUUID } from "node:crypto";
import { mostBytes, refuseLarger } from "../../mapping/size-limits.ts";
import { spend, spendOnLength } from "../jq/run.ts";
import { failure, type Int, int } from "./values.ts";

const digits = "0123456789";
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const printable = /* @__PURE__ */ String.fromCharCode(
  .../* @__PURE__ */ Array.from({ length: 95 }, (_, index) => 32 + index),
);

export function randInt(least: number, most: number): Int {
  if (most <= least) throw failure("the range of `randInt` is empty");
  if (most - least >= 2 ** 48) throw failure("the range of `randInt` is too large");
  return int(least + randomInt(most - least));
}

export function randAlphaNum(count: number): string {
  return drawn(letters + digits, count);
}

export function randAlpha(count: number): string {
  return drawn(letters, count);
}

export function randAscii(count: number): string {
  return drawn(printable, count);
}

export function randNumeric(count: number): string {
  return drawn(digits, count);
}

function drawn(alphabet: string, count: number): string {
  if (count <= 0) return "";
  spend(count);
  refuseLarger("a random text", count, mostBytes);
  return Array.from({ length: count }, () => alphabet.charAt(randomInt(alphabet.length))).join("");
}

export function randBytes(count: number): string {
  if (count < 0) throw failure("the count of `randBytes` is negative");
  spendOnLength(count);
  refuseLarger("randBytes", count, mostBytes);
  return randomBytes(count).toString("base64");
}

export function uuidV4(): string {
  return randomUUID();
}

/** Returns the characters in a random order. */
export function shuffle(text: string): string {
  const characters = [...text];
  spend(characters.length);
  for (let index = characters.length - 1; index > 0; index--) {
    const other = randomInt(index + 1);
    const character = characters[index] ?? "";
    characters[index] = characters[other] ?? "";
    characters[other] = character;
  }
  return characters.join("");
}
