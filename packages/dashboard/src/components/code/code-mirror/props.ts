/** A message about a position in the source; line and column start at 1. */
export type Marker = { readonly line: number; readonly column: number; readonly message: string }

export type CodeEditorProps = {
  readonly label: string
  readonly value: string
  /** Omit for a read-only view. */
  readonly onChange?: ((value: string) => void) | undefined
  readonly markers?: readonly Marker[]
  /** Position to scroll to. Pass a new object to scroll to the same position again. */
  readonly shown?: Marker | undefined
  /** Whether the editor is only a few lines high, for text that users paste but don't read. */
  readonly isLow?: boolean
  /** Whether to wrap long lines. */
  readonly isWrapped?: boolean
}

export type CodeDiffProps = { readonly label: string; readonly before: string; readonly after: string }
