// The results of functions that check the options of processors when a gateway is built.

/** A problem in the options. `field`: the name of the option. */
export interface Problem {
  readonly field: string;
  readonly message: string;
  readonly hint?: string;
}

/** The problems in options, and the JSON Schema of the resulting documents if it is known. */
export interface Inspected {
  readonly problems: readonly Problem[];
  readonly produces?: boolean | Readonly<Record<string, unknown>>;
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
