// Creates identifiers for emitted code from names of the document, numbered only if they clash. The shared resources of
// a stream are one object with an entry for each label.

import { type Code, code, isPropertyName, raw } from "./code.ts";

/** Words that cannot be identifiers, and globals that emitted code must not shadow. */
const reserved: ReadonlySet<string> = new Set(
  `arguments await break case catch class const continue debugger default delete do else enum eval
  export extends false finally for from function get if implements import in instanceof interface let new
  null package private protected public return static super switch this throw true try typeof
  undefined var void while with yield Array BigInt Boolean Error Infinity JSON Map NaN Number Object Promise
  Set String Symbol Uint8Array console globalThis process`
    .split(/\s+/)
    .filter((word) => word !== ""),
);

/** The names that are taken in one scope of emitted code. */
export interface Names {
  /**
   * Returns a new camelCase identifier for a name of the document: `orderTotal` for `order total`, and `orderTotal2`
   * the second time. Returns `fallback` for names without a usable character.
   */
  claim(documentName: string, fallback: string): string;
  /** Returns a new PascalCase identifier for a type: `OrderTotal`. */
  claimType(documentName: string, fallback: string): string;
  /** Returns an inner scope, which sees these names and whose later names have no effect outside. */
  inner(): Names;
}

/** Returns an empty scope. `taken`: whether a name must not be used, such as an imported symbol. */
export function createNames(taken: (name: string) => boolean = () => false): Names {
  const own = new Set<string>();
  /** The next number to try, by name: of 10,000 streams many have scripts with the same name. */
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

/** Returns `customerId` for `customer_id` and `customer-id`, and `fallback2nd` for `2nd`. */
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

/** The name of the constant with the shared components. Nothing else in emitted code may have it. */
export const resourcesName = "resources";

/** `resources.seen`, `resources["big limit"]` */
export function resourceReference(label: string): Code {
  return isPropertyName(label) ? raw(`${resourcesName}.${label}`) : code`${raw(resourcesName)}[${label}]`;
}
