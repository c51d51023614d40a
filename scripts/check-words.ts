/** Whether names and comments use the words of the field; `word-rules.ts` lists the words that they must not use. */
import { report } from './report.ts'
import { ROOT } from './run.ts'
import { readSourceFiles } from './source-files.ts'
import { wordComplaints } from './word-rules.ts'

const files = readSourceFiles(ROOT)
report(`${files.length} files use the words of the field`, files.flatMap(wordComplaints))
