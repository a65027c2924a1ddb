#include "base/json.h"
#include "report/classic.h"

char *tables_document(const struct run *run);

char *tables_document(const struct run *run)
{
	struct text text = { 0 };
	struct json json;

	json_init(&json, &text, false);
	json_object(&json, NULL);
	classic_json(run, &json);
	json_end(&json);
	return text_take(&text);
}
