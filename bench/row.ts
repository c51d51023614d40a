/** One measured figure, as reported by every file in this folder. */
export type Row = {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** Limit for the value, such as `<= 1.15`. */
  readonly limit?: string
  readonly note?: string
}
