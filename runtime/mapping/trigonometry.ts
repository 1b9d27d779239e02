// Sine, cosine and tangent to the last digit as the reference's library has them, whose polynomials (Cephes) are not those
// of JavaScript's engines.

const sineTerms = [
  1.5896230157654656e-10, -2.5050747762857807e-8, 2.7557313621385722e-6, -0.00019841269829589539,
  0.008333333333322118, -0.1666666666666663,
];
const cosineTerms = [
  -1.1358536521387682e-11, 2.087570084197473e-9, -2.755731417929674e-7, 2.4801587288851704e-5,
  -0.0013888888888873056, 0.041666666666666595,
];
const tangentAbove = [-13093.693918138379, 1153516.6483858742, -17956525.197648488];
const tangentBelow = [1, 13681.296347069296, -1320892.3444021097, 25008380.18233579, -53869575.59294546];

/** From here on an eighth of a turn cannot be taken off in three parts; the engine's own functions do it. */
const largest = 2 ** 29;

/** The sine of an angle in radians. */
export function sine(angle: number): number {
  const magnitude = Math.abs(angle);
  if (angle === 0 || !(magnitude < largest)) return Math.sin(angle);
  const { octant, rest } = reduced(magnitude);
  const quarter = octant % 4;
  const value = quarter === 1 || quarter === 2 ? cosineNear(rest) : sineNear(rest);
  return angle < 0 !== octant > 3 ? -value : value;
}

/** The cosine of an angle in radians. */
export function cosine(angle: number): number {
  const magnitude = Math.abs(angle);
  if (!(magnitude < largest)) return Math.cos(angle);
  const { octant, rest } = reduced(magnitude);
  const quarter = octant % 4;
  const value = quarter === 1 || quarter === 2 ? sineNear(rest) : cosineNear(rest);
  return octant > 3 !== quarter > 1 ? -value : value;
}

/** The tangent of an angle in radians. */
export function tangent(angle: number): number {
  const magnitude = Math.abs(angle);
  if (angle === 0 || !(magnitude < largest)) return Math.tan(angle);
  const { octant, rest } = reduced(magnitude);
  const square = rest * rest;
  const near =
    square > 1e-14
      ? rest + rest * ((square * polynomial(tangentAbove, square)) / polynomial(tangentBelow, square))
      : rest;
  const value = octant % 4 === 2 ? -1 / near : near;
  return angle < 0 ? -value : value;
}

/** What is left of an angle beside the nearest even octant, and which one that is. */
function reduced(magnitude: number): { readonly octant: number; readonly rest: number } {
  const whole = Math.floor(magnitude * (4 / Math.PI));
  const even = whole + (whole % 2);
  const rest =
    magnitude - even * 0.7853981256484985 - even * 3.774894707930798e-8 - even * 2.6951514290790595e-15;
  return { octant: even % 8, rest };
}

function sineNear(rest: number): number {
  const square = rest * rest;
  return rest + rest * square * polynomial(sineTerms, square);
}

function cosineNear(rest: number): number {
  const square = rest * rest;
  return 1 - 0.5 * square + square * square * polynomial(cosineTerms, square);
}

function polynomial(terms: readonly number[], value: number): number {
  return terms.reduce((sum, term) => sum * value + term, 0);
}
