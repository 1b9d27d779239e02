// Environment variables as an emitted gateway reads them: typed by the field they fill, and all missing
// or unreadable ones reported together.

/** Reads of `${NAME}` and `${NAME:default}`; a read without `fallback` must be set. */
export interface Environment {
  text(name: string, fallback?: string): string;
  integer(name: string, fallback?: number): number;
  number(name: string, fallback?: number): number;
  boolean(name: string, fallback?: boolean): boolean;
  /** Go duration text such as `5s` or `1m30s`, in milliseconds. */
  duration(name: string, fallback?: number): number;
  /** Comma-separated. */
  list(name: string, fallback?: readonly string[]): readonly string[];
  /** The content of a mounted secret, `${file:PATH}`, without its final line break. */
  file(path: string): string;
}
