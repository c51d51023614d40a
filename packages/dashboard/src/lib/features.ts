/** Converts features to and from form rows. Each row has a name, a kind and a value. */
import { text } from '../messages/text.ts'

/** `none` removes a feature that the plan has. Only individual keys can use it. */
export type FeatureKind = 'yes' | 'number' | 'text' | 'none'
export type FeatureRow = { name: string; kind: FeatureKind; value: string }
export type Feature = true | number | string

export const MAX_FEATURES = 64
const NAME = /^[a-z][a-z0-9_]{0,31}$/
const MAX_TEXT_LENGTH = 255

export function rowsOf(features: Readonly<Record<string, Feature | null>>): FeatureRow[] {
  return Object.entries(features).map(([name, value]) => ({ name, ...rowOf(value) }))
}

/** Expects validated rows. */
export function ownFeaturesIn(rows: readonly FeatureRow[]): Record<string, Feature | null> {
  return Object.fromEntries(rows.map((row) => [row.name.trim(), featureOf(row)]))
}

/** Like `ownFeaturesIn`, but for plans. Plans can't remove features. */
export function featuresIn(rows: readonly FeatureRow[]): Record<string, Feature> {
  const all = Object.entries(ownFeaturesIn(rows))
  return Object.fromEntries(all.filter((one): one is [string, Feature] => one[1] !== null))
}

/** Returns errors by field, such as `features.0.name` or `features.0.value`. */
export function validateFeatures(rows: readonly FeatureRow[]): Record<string, string | undefined> {
  const t = text.plans
  const names = rows.map(({ name }) => name.trim())
  const errors = rows.flatMap(({ kind, value }, at) => {
    const name = names[at] ?? ''
    const isTwice = names.indexOf(name) !== at
    const nameError = NAME.test(name) ? (isTwice ? t.featureTwice : undefined) : t.featureNameWrong
    return [
      [`features.${at}.name`, nameError],
      [`features.${at}.value`, valueError(kind, value)],
    ] as const
  })
  const tooMany = rows.length > MAX_FEATURES ? t.tooManyFeatures(MAX_FEATURES) : undefined
  return { features: tooMany, ...Object.fromEntries(errors) }
}

function valueError(kind: FeatureKind, value: string): string | undefined {
  const t = text.plans
  if (kind === 'number') return numberIn(value) === undefined ? t.featureNumberWrong : undefined
  return kind === 'text' && [...value].length > MAX_TEXT_LENGTH ? t.featureTextWrong : undefined
}

function rowOf(value: Feature | null): Omit<FeatureRow, 'name'> {
  if (value === null) return { kind: 'none', value: '' }
  if (value === true) return { kind: 'yes', value: '' }
  return { kind: typeof value === 'number' ? 'number' : 'text', value: String(value) }
}

function featureOf({ kind, value }: FeatureRow): Feature | null {
  if (kind === 'none') return null
  if (kind === 'yes') return true
  return kind === 'text' ? value : (numberIn(value) ?? 0)
}

/** Accepts a decimal comma. */
function numberIn(value: string): number | undefined {
  const count = Number(value.trim().replace(',', '.'))
  return value.trim() !== '' && Math.abs(count) <= Number.MAX_SAFE_INTEGER ? count : undefined
}
