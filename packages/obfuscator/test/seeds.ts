/** Seeds for guarantees that hold for any seed: four per run, one of them a text. */

/** `FIRST_SEED=5 npx vitest run packages/obfuscator/test/conformance` tries the next ones. */
const FIRST_SEED = Number(process.env.FIRST_SEED ?? 1)

export const SEEDS: readonly (number | string)[] = [0, 1, 2, 3].map((i) =>
  i === 2 ? `seed ${FIRST_SEED + i}` : FIRST_SEED + i,
)
