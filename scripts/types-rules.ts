/**
 * Checks whether programs find the correct types in a packed package, using arethetypeswrong. Needs no
 * network.
 */
import { readFileSync } from 'node:fs'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { problemAffectsResolutionKind } from '@arethetypeswrong/core/problems'

/**
 * The packages contain only ES modules, so these are the resolutions in arethetypeswrong's `esm-only`
 * profile. The profile omits CommonJS, which loads ES modules with `import()`, and `node10`, which doesn't
 * read `exports`.
 */
const RESOLUTIONS = ['node16-esm', 'bundler'] as const

/** Returns the problems that arethetypeswrong finds in a `.tgz` file. */
export async function complaintsAboutTypes(file: string): Promise<string[]> {
  const found = await checkPackage(createPackageFromTarballData(readFileSync(file)))
  if (found.types === false) return ['The package has no types.']
  return found.problems
    .filter((problem) => RESOLUTIONS.some((kind) => problemAffectsResolutionKind(problem, kind, found)))
    .map((problem) => JSON.stringify(problem))
}
