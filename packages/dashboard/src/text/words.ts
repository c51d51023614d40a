/** The shape of a table of sentences without its language: what every other language has to fill. */
export type Words<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends string
    ? string
    : Table[Name] extends (...given: infer Given) => string
      ? (...given: Given) => string
      : Table[Name] extends readonly unknown[]
        ? Table[Name]
        : Words<Table[Name]>
}
