type Pin = { readonly name: string; readonly version: string; readonly integrity: string }

export declare const RUNTIMES: Readonly<Record<string, Pin>>
export declare function placeOf(
  pin: Pick<Pin, 'name' | 'version'>,
  folder: string,
  platform?: string,
): { readonly home: string; readonly program: string }
