export declare function cacheFolder(
  process: { readonly platform: string; readonly env: Readonly<Record<string, string | undefined>> },
  home?: () => string,
): string | undefined
