# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A message catalogue of random words, the same ones in every run.
#
#   awk -v messages=N -v template=0 -f catalogue.awk    a translation of N messages
#   awk -v messages=N -v template=1 -f catalogue.awk    a newer version of the same messages, not translated: each
#                                                       has a word changed and one added
#
# Every tenth message is long, so that the costs of looking for similar ones are uneven.

# The product stays below 2^53, where numbers in awk are exact.
function random(below) {
  state = (state * 69069 + 1) % 4294967296
  return int(state / 4294967296 * below)
}

function word(    letters, result) {
  result = ""
  for (letters = 3 + random(7); letters > 0; --letters)
    result = result substr("etaoinshrdlucmfwypvbgk", random(22) + 1, 1)
  return result
}

BEGIN {
  state = 4711
  print "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n\"Language: de\\n\"\n"
  for (i = 0; i < 400; ++i) words[i] = word()
  for (message = 0; message < messages; ++message) {
    length_of_text = 4 + random(message % 10 == 0 ? 60 : 14)
    changed = random(length_of_text)
    text = "m" message
    for (i = 0; i < length_of_text; ++i) {
      old = words[random(400)]
      new = words[random(400)]
      text = text " " (template && i == changed ? new : old)
    }
    if (template) text = text " added"
    printf "msgid \"%s\"\nmsgstr \"%s\"\n\n", text, template ? "" : "T " text
  }
}
