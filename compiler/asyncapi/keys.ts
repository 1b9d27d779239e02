// Keys of the maps in an AsyncAPI document, which tools make file names and identifiers of.

/** A fresh key for a name of the document: `orders/{id}` gives `orders_id`, the second time `orders_id_2`. */
export type ClaimKey = (name: string, fallback: string) => string;

/** Gives each key once. */
export function createKeys(): ClaimKey {
  const taken = new Set<string>();
  return (name, fallback) => {
    const base = name.replaceAll(/[^A-Za-z0-9-]+/g, "_").replaceAll(/^_|_$/g, "") || fallback;
    let key = base;
    for (let number = 2; taken.has(key); number += 1) key = `${base}_${number}`;
    taken.add(key);
    return key;
  };
}
