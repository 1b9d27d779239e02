// Which fields can be read as plain properties: those no prototype of a value has.

/**
 * Names that values have from their prototypes. A field so called is read by a function that looks at own
 * properties only. A test holds the list against the prototypes of the running engine.
 */
const inherited: ReadonlySet<string> = new Set(
  `BYTES_PER_ELEMENT __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ __proto__ anchor at big
  blink bold buffer byteLength byteOffset charAt charCodeAt codePointAt concat constructor copyWithin
  description endsWith entries every fill filter find findIndex findLast findLastIndex fixed flat flatMap
  fontcolor fontsize forEach hasOwnProperty includes indexOf isPrototypeOf isWellFormed italics join keys
  lastIndexOf length link localeCompare map match matchAll nanoseconds normalize numericKind padEnd padStart pop
  propertyIsEnumerable push reduce reduceRight repeat replace replaceAll reverse search seconds set setFromBase64
  setFromHex shift slice small some sort splice split startsWith strike sub subarray substr substring sup
  toBase64 toExponential toFixed toHex toLocaleLowerCase toLocaleString toLocaleUpperCase toLowerCase
  toPrecision toReversed toSorted toSpliced toString toUpperCase toWellFormed trim trimEnd trimLeft trimRight
  trimStart unshift valueOf values with zone`.split(/\s+/),
);

/** Whether `?.name` reads the field of every value right: no index, no wildcard, nothing inherited. */
export function isPlainField(name: string): boolean {
  return !inherited.has(name) && !/^[+-]?[0-9]+$/.test(name) && name !== "*" && name !== "-";
}
