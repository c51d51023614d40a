/** One measured figure, as every file of this folder reports it. */
export type Row = {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** The bound that the figure is held against, such as `<= 1.15`. */
  readonly limit?: string
  readonly note?: string
}
