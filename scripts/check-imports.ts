/**
 * The rules of the house that a type checker does not know: who may import whom, no circles, no barrels, sizes of
 * functions and files, names. Long files stand in `exceptions.ts`, each with its reason.
 */
import { EXCEPTIONS } from './exceptions.ts'
import { fileComplaints, unusedExceptions } from './file-rules.ts'
import { findCycles, forbiddenImports, misplacedLayers } from './import-rules.ts'
import { report } from './report.ts'
import { ROOT } from './run.ts'
import { readSourceFiles } from './source-files.ts'

const files = readSourceFiles(ROOT)
report(`${files.length} files follow the rules of the house`, [
  ...files.flatMap(forbiddenImports),
  ...files.flatMap((file) => fileComplaints(file, EXCEPTIONS)),
  ...findCycles(files),
  ...unusedExceptions(files, EXCEPTIONS),
  ...misplacedLayers(),
])
