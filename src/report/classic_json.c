#include <math.h>

#include "base/json.h"
#include "report/classic.h"

static void write_columns(const struct classic_table *table, struct json *json)
{
	json_array(json, "columns");
	for (size_t i = 0; i < classic_columns(table); i++) {
		const struct classic_column *column = &table->column[i];
		json_object(json, NULL);
		json_text(json, "name", column->heading);
		json_text(json, "unit", column->recorded ? column->recorded : table->recorded);
		json_end(json);
	}
	json_end(json);
}

static void write_cell(const struct figure *figure, const char *row, struct json *json)
{
	const struct point *point = figure->point;
	bool usable = figure->usable;

	json_object(json, NULL);
	json_text(json, "column", figure->name);
	json_text(json, "row", row);
	json_text(json, "point", point ? point->id : NULL);
	json_double(json, "value", usable ? point->value : NAN);
	json_double(json, "low", usable ? point->low : NAN);
	json_double(json, "high", usable ? point->high : NAN);
	json_double(json, "cycles", usable ? point->cycles : NAN);
	json_double(json, "cycles_low", usable ? point->cycles_low : NAN);
	json_double(json, "cycles_high", usable ? point->cycles_high : NAN);
	json_text(json, "verdict", point ? verdict_name(point->verdict) : NULL);
	json_text(json, "reason", figure->reason);
	json_end(json);
}

static void write_table(const struct run *run, const struct classic_table *table, struct json *json)
{
	bool several = classic_bands(table) > 1;

	json_object(json, NULL);
	json_text(json, "title", table->title);
	write_columns(table, json);
	json_array(json, "cells");
	for (size_t band = 0; band < classic_bands(table); band++) {
		if (table->band[band].optional && !classic_has_band(run, table, band))
			continue;
		for (size_t i = 0; i < classic_columns(table); i++) {
			struct figure figure = classic_figure(run, table, &table->column[i], band);
			write_cell(&figure, several ? table->band[band].name : NULL, json);
		}
	}
	json_end(json);
	json_end(json);
}

void classic_json(const struct run *run, struct json *json)
{
	json_array(json, "tables");
	for (size_t i = 0; i < classic_count; i++)
		write_table(run, &classic_tables[i], json);
	json_end(json);
}
