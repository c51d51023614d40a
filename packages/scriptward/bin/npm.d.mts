export declare const QUICK_RETRIES: readonly string[]
export declare function npmCommand(process: {
  readonly platform: string
  readonly execPath: string
  readonly env: Readonly<Record<string, string | undefined>>
}): string[]
export declare function explainNpm(problems: string): string | undefined
