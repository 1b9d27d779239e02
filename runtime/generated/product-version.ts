// Generated from package.json by scripts/generate-options.ts. Do not edit.

/** Version of the package that a gateway was built with. */
export const productVersion = "0.1.0";
