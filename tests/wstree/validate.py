# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""validate.py SCHEMA DOCUMENT: ends with 1 and says where the document is not what the schema says."""
import json
import sys

import jsonschema

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
with open(sys.argv[2], encoding="utf-8") as file:
    document = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
errors = [f"{list(error.path)}: {error.message[:300]}" for error in jsonschema.Draft202012Validator(schema).iter_errors(document)]
print("\n".join(errors))
sys.exit(1 if errors else 0)
