// Identifiers of emitted code: fresh ones for names of the document, numbered only on a clash. What the
// components of a stream share is one object with an entry for each label.

import { type Code, code, isPropertyName, raw } from "./code.ts";

/** Words that can be no identifier, and globals that emitted code must not hide. */
const reserved: ReadonlySet<string> = new Set(
  `arguments await break case catch class const continue debugger default delete do else enum eval
  export extends false finally for from function get if implements import in instanceof interface let new
  null package private protected public return static super switch this throw true try typeof
  undefined var void while with yield Array BigInt Boolean Error Infinity JSON Map NaN Number Object Promise
  Set String Symbol Uint8Array console globalThis process`
    .split(/\s+/)
    .filter((word) => word !== ""),
);

/** The names taken in one scope of emitted code. */
export interface Names {
  /**
   * A fresh camelCase identifier for a name of the document: `order total` gives `orderTotal`, the second
   * time `orderTotal2`. Names without a usable letter give `fallback`.
   */
  claim(documentName: string, fallback: string): string;
  /** The same as a PascalCase identifier, for a type: `OrderTotal`. */
  claimType(documentName: string, fallback: string): string;
  /** A scope inside this one: sees its names and the ones it claims later do not matter outside. */
  inner(): Names;
}

/** An empty scope; `taken` are names it must not give out, such as imported symbols. */
export function createNames(taken: (name: string) => boolean = () => false): Names {
  const own = new Set<string>();
  /** The number to try next, of names that were given out before: of 10,000 streams many have scripts of one name. */
  const next = new Map<string, number>();
  const isTaken = (name: string) => own.has(name) || reserved.has(name) || taken(name);
  const claimFree = (base: string) => {
    let name = base;
    let number = next.get(base) ?? 2;
    for (; isTaken(name); number++) name = `${base}${number}`;
    next.set(base, number);
    own.add(name);
    return name;
  };
  return {
    claim: (documentName, fallback) => claimFree(identifierFrom(documentName, fallback)),
    claimType: (documentName, fallback) => claimFree(upperFirst(identifierFrom(documentName, fallback))),
    inner: () => createNames(isTaken),
  };
}

/** `customer_id` and `customer-id` give `customerId`; `2nd` gives `fallback2nd`. */
export function identifierFrom(documentName: string, fallback: string): string {
  const words = documentName.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const joined = words.map((word, index) => (index === 0 ? lowerFirst(word) : upperFirst(word))).join("");
  if (joined === "") return fallback;
  return /^[0-9]/.test(joined) ? `${fallback}${joined}` : joined;
}

function lowerFirst(word: string): string {
  return /^[A-Z]+$/.test(word) ? word.toLowerCase() : word.charAt(0).toLowerCase() + word.slice(1);
}

function upperFirst(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** The constant that holds the shared components; nothing else of emitted code may have its name. */
export const resourcesName = "resources";

/** `resources.seen`, `resources["big limit"]` */
export function resourceReference(label: string): Code {
  return isPropertyName(label) ? raw(`${resourcesName}.${label}`) : code`${raw(resourcesName)}[${label}]`;
}
