/**
 * Collects the licenses of the third-party packages in a bundle. Each license requires its text to be
 * included.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

export const LICENSES_FILE = 'THIRD-PARTY-LICENSES.txt'
/** Exceeds the length of any line in the license texts. */
const SEPARATOR = `\n${'-'.repeat(100)}\n\n`

/** Matches the folder of a third-party package, such as `/…/node_modules/@scope/name`. */
const PACKAGE_FOLDER = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+(?=[\\/])/

type Manifest = { readonly name: string; readonly version: string; readonly license: string }

/** Returns the licenses of the packages that contain the modules. `modules` are file paths. */
export function licensesOf(modules: Iterable<string>): string {
  const folders = new Set([...modules].flatMap((module) => PACKAGE_FOLDER.exec(module)?.[0] ?? []))
  const found = [...folders].filter((folder) => existsSync(path.join(folder, 'package.json')))
  return merged(found.map(licenseIn))
}

/** Merges several results of `licensesOf` into one text that lists each package once. */
export function mergeLicenses(texts: readonly string[]): string {
  return merged(texts.flatMap((text) => text.split(SEPARATOR)))
}

function merged(licenses: readonly string[]): string {
  return [...new Set(licenses)].sort().join(SEPARATOR)
}

function licenseIn(folder: string): string {
  const { name, version, license } = JSON.parse(
    readFileSync(path.join(folder, 'package.json'), 'utf8'),
  ) as Manifest
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one))
  const text = file === undefined ? `License: ${license}` : readFileSync(path.join(folder, file), 'utf8')
  return `${name} ${version}\n\n${text.trim()}\n`
}
