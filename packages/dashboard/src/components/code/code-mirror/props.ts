/** What the editor and the comparison take. */

/** A place that something is said about; both count from 1. */
export type Marker = { readonly line: number; readonly column: number; readonly message: string }

export type CodeEditorProps = {
  readonly label: string
  readonly value: string
  /** Without it the text is only read. */
  readonly onChange?: ((value: string) => void) | undefined
  readonly markers?: readonly Marker[]
  /** The place to go to; another object goes there again. */
  readonly shown?: Marker | undefined
}

export type CodeDiffProps = { readonly label: string; readonly before: string; readonly after: string }
