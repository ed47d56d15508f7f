# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# zsh -f complete.zsh PAGES: reads lines from stdin, each as a user would type it with TAB for a completion, gives them
# to an interactive zsh in which `wstree` is a function that shows its arguments, and prints these.
zmodload zsh/zpty || exit 77
export TERM=dumb
zpty typist zsh -f -i
answer() { zpty -r typist REPLY '*ANSWER<[^>]#>*' && print -r -- ${${REPLY#*ANSWER<}%%>*}; }
setopt extendedglob
zpty -w typist "fpath=(${(q)1} \$fpath); autoload -Uz compinit; compinit -u -D; unsetopt beep"
zpty -w typist "wstree() { print -r -- ANSW''ER\"<\$*>\" }; wstree ready"
answer >/dev/null
while IFS= read -r line; do
  zpty -w typist $line
  answer
done
zpty -d typist
