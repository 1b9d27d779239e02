// The results of functions that check the options of processors when a gateway is built.

/** A problem in the options. `field`: the name of the option; dots lead into blocks. */
export interface Problem {
  readonly field: string;
  readonly message: string;
  readonly hint?: string;
  /** The part of the text, as UTF-16 offsets. */
  readonly place?: { readonly start: number; readonly end: number };
  /** A name that does not exist, and those that do. */
  readonly unknown?: { readonly name: string; readonly among: readonly string[] };
}

/**
 * The problems in options, the JSON Schema of the resulting documents if it is known, and the functions that the options
 * call by name.
 */
export interface Inspected {
  readonly problems: readonly Problem[];
  readonly produces?: boolean | Readonly<Record<string, unknown>>;
  readonly links?: Readonly<
    Record<string, { readonly module: string; readonly symbol: string; readonly takes: string }>
  >;
}

/** Options as documents contain them. Fields that are only known at the start are absent. */
export type WrittenOptions = Readonly<Record<string, unknown>>;

/** No problems, and an unknown result. */
export const nothingFound: Inspected = { problems: [] };

/** Reports the error that `read` throws for a text option. The schema reports texts that are absent or empty. */
export function inspectText(
  options: WrittenOptions,
  field: string,
  read: (text: string) => Inspected["produces"],
  hint?: string,
): Inspected {
  const text = options[field];
  if (typeof text !== "string" || text === "") return nothingFound;
  try {
    const produces = read(text);
    return produces === undefined ? nothingFound : { problems: [], produces };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { problems: [{ field, message: error.message, ...(hint !== undefined && { hint }) }] };
  }
}
