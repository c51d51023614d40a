export declare const RUNTIMES: Readonly<
  Record<string, { readonly name: string; readonly version: string; readonly integrity: string }>
>
export declare function npmCommand(process: {
  readonly platform: string
  readonly execPath: string
  readonly env: Readonly<Record<string, string | undefined>>
}): string[]
