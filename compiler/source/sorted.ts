/**
 * Returns the first index from 0 to `length` at which a condition holds that holds at all later ones, too; `length` if it
 * holds at none. Takes logarithmic time.
 */
export function firstIndex(length: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
